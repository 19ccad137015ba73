package io.sei.operator.install;

import static io.sei.operator.testkit.Patience.eventually;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Refuses writes with a stolen token of the operator. The user under test has every right, so that
 * nothing but the admission policies refuses; an administrator is not refused the same. All
 * requests are dry runs, which admission policies judge like others.
 */
@RealControlPlane
class AdmissionPoliciesTest {

  private static final String STATEFUL_SET =
      """
      apiVersion: apps/v1
      kind: StatefulSet
      metadata:
        name: rendered
        labels: {sei.io/node: rendered}
        ownerReferences: [{apiVersion: sei.io/v1alpha1, kind: SeiNode, name: rendered, uid: u, controller: true}]
      spec:
        replicas: 0
        serviceName: rendered
        selector: {matchLabels: {sei.io/node: rendered}}
        template:
          metadata: {labels: {sei.io/node: rendered}}
          spec: {containers: [{name: seid, image: sei}]}
      """;

  private static final String JOB =
      """
      apiVersion: batch/v1
      kind: Job
      metadata:
        name: rendered
        labels: {sei.io/node: rendered}
        ownerReferences: [{apiVersion: sei.io/v1alpha1, kind: SeiNode, name: rendered, uid: u, controller: true}]
      spec:
        template:
          spec: {restartPolicy: Never, containers: [{name: seid, image: sei}]}
      """;

  /** Of a pull, as it looks into a file of a claim. */
  private static final String GATE =
      """
      apiVersion: batch/v1
      kind: Job
      metadata:
        name: rendered
        labels: {sei.io/image-pull: rendered}
        ownerReferences: [{apiVersion: sei.io/v1alpha1, kind: SeiNode, name: rendered, uid: u, controller: true}]
      spec:
        template:
          spec:
            restartPolicy: Never
            automountServiceAccountToken: false
            volumes: [{name: data, persistentVolumeClaim: {claimName: data-a, readOnly: true}}]
            containers:
            - name: gate-app-toml
              image: sei
              volumeMounts: [{name: data, mountPath: /gate/app.toml, subPath: config/app.toml, readOnly: true}]
      """;

  private static final String NODE =
      """
      apiVersion: sei.io/v1alpha1
      kind: SeiNode
      metadata: {name: rendered}
      spec: {chainId: a, image: sei, fullNode: {}}
      """;

  private static final String FLEET =
      """
      apiVersion: sei.io/v1alpha1
      kind: SeiNodeDeployment
      metadata: {name: rendered}
      spec: {replicas: 1, template: {spec: {chainId: a, image: sei, fullNode: {}}}}
      """;

  private static final String CLAIM =
      """
      apiVersion: v1
      kind: PersistentVolumeClaim
      metadata: {name: theirs}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
      """;

  private static final String VOLUME =
      """
      apiVersion: v1
      kind: PersistentVolume
      metadata: {name: NAMESPACE, labels: {theirs: a}, annotations: {theirs: a}}
      spec:
        accessModes: [ReadWriteOnce]
        capacity: {storage: 1Gi}
        csi: {driver: example.com, volumeHandle: a}
        persistentVolumeReclaimPolicy: Delete
      """;

  private static final YAMLMapper YAML = new YAMLMapper();

  private KubernetesClient administrator;
  private KubernetesClient operator;
  private String namespace;

  @BeforeEach
  void connect(ControlPlane controlPlane, TestNamespace testNamespace) {
    administrator = controlPlane.client();
    operator = controlPlane.newClient(ControlPlane.OPERATOR);
    namespace = testNamespace.name();
  }

  @AfterEach
  void disconnect() {
    operator.close();
  }

  static Stream<Arguments> workloads() {
    return Stream.of(STATEFUL_SET, JOB)
        .flatMap(
            workload ->
                Stream.of(
                        metadata("ownerReferences: null", "controller"),
                        metadata(
                            "ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: a,"
                                + " uid: u, controller: true}]",
                            "controller"),
                        metadata(
                            "ownerReferences: [{apiVersion: sei.io/v1alpha1, kind: SeiNode,"
                                + " name: a, uid: u}]",
                            "controller"),
                        metadata("labels: {sei.io/node: null}", "label"),
                        pod("hostNetwork: true", "host namespaces"),
                        pod("hostPID: true", "host namespaces"),
                        pod("hostIPC: true", "host namespaces"),
                        pod("volumes: [{name: a, hostPath: {path: /}}]", "hostPath"),
                        pod("volumes: [{name: a, gitRepo: {repository: a}}]", "gitRepo"),
                        pod("volumes: [{name: a, flexVolume: {driver: a/b}}]", "flexVolume"),
                        pod(
                            "securityContext: {sysctls: [{name: kernel.msgmax, value: '1'}]}",
                            "sysctls"),
                        pod("securityContext: {seccompProfile: {type: Unconfined}}", "unconfined"),
                        pod("securityContext: {seLinuxOptions: {type: spc_t}}", "SELinux"),
                        container(
                            "securityContext: {seccompProfile: {type: Unconfined}}", "unconfined"),
                        container(
                            "securityContext: {appArmorProfile: {type: Unconfined}}", "unconfined"),
                        container("securityContext: {seLinuxOptions: {type: spc_t}}", "SELinux"),
                        initContainer(
                            "securityContext: {seLinuxOptions: {type: spc_t}}", "SELinux"),
                        pod(
                            "hostUsers: false, containers: [{name: seid, image: sei,"
                                + " securityContext: {procMount: Unmasked}}]",
                            "unmasked"),
                        container("ports: [{containerPort: 1, hostPort: 1}]", "hostPort"),
                        container("securityContext: {privileged: true}", "privileged"),
                        container(
                            "securityContext: {capabilities: {add: [SYS_ADMIN]}}", "capabilities"),
                        initContainer("securityContext: {privileged: true}", "privileged"))
                    .map(value -> Arguments.of(workload, value[0], value[1])));
  }

  private static String[] metadata(String change, String message) {
    return new String[] {"metadata: {" + change + "}", message};
  }

  private static String[] pod(String change, String message) {
    return new String[] {"spec: {template: {spec: {" + change + "}}}", message};
  }

  private static String[] initContainer(String change, String message) {
    return pod("initContainers: [{name: a, image: a, " + change + "}]", message);
  }

  private static String[] container(String change, String message) {
    return pod("containers: [{name: seid, image: sei, " + change + "}]", message);
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("workloads")
  void workloadIsRefusedToTheOperator(String workload, String change, String message)
      throws IOException {
    HasMetadata changed = in(namespace, merge(workload, change));

    assertRefused(message, client -> client.resource(changed).dryRun().create());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "automountServiceAccountToken: true",
        "volumes: [{name: data, persistentVolumeClaim: {claimName: data-a}}]",
        "volumes: [{name: data, secret: {secretName: a}}]",
        "volumes: [{name: data, projected: {sources: [{serviceAccountToken: {path: a}}]}}]",
        "volumes: [{name: data, configMap: {name: a}}]",
        "initContainers: [{name: a, image: a}]",
        "containers: [{name: a, image: a, envFrom: [{secretRef: {name: a}}]}]",
        "containers: [{name: a, image: a, env: [{name: A, valueFrom: {secretKeyRef: {name: a, key:"
            + " a}}}]}]",
        "containers: [{name: a, image: a, volumeMounts: [{name: data, mountPath: /a, readOnly:"
            + " true}]}]",
        "containers: [{name: a, image: a, volumeMounts: [{name: data, mountPath: /a,"
            + " subPath: config/node_key.json, readOnly: true}]}]",
        "containers: [{name: a, image: a, volumeMounts: [{name: data, mountPath: /a,"
            + " subPath: config/app.toml}]}]",
        "containers: [{name: a, image: a, volumeMounts: [{name: data, mountPath: /tmp}]}]",
        "containers: [{name: a, image: a, volumeDevices: [{name: data, devicePath: /dev/a}]}]",
      })
  void jobThatLooksIntoFilesSeesNoMoreThanThem(String change) throws IOException {
    HasMetadata allowed = in(namespace, GATE);
    HasMetadata changed = in(namespace, merge(GATE, "spec: {template: {spec: {" + change + "}}}"));

    operator.resource(allowed).dryRun().create();
    assertRefused("sei.io/image-pull", client -> client.resource(changed).dryRun().create());
  }

  @ParameterizedTest
  @ValueSource(strings = {STATEFUL_SET, JOB})
  void workloadOfANodeIsCreatedAndKeepsItsLabelAndController(String workload) {
    HasMetadata created = operator.resource(ofANode(workload)).create();

    assertRefused(
        "has the label",
        client -> patch(client, created, "metadata: {labels: {sei.io/node: null}}"));
    assertRefused(
        "is of sei.io",
        client ->
            patch(
                client,
                created,
                "metadata: {ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: a,"
                    + " uid: u, controller: true}]}"));
  }

  @Test
  void templateOfANodeStaysUnprivileged() {
    HasMetadata created = operator.resource(ofANode(STATEFUL_SET)).create();

    assertRefused(
        "host namespaces",
        client -> patch(client, created, "spec: {template: {spec: {hostPID: true}}}"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"kube-system", "kube-public", "kube-node-lease", "sei-operator"})
  void namespaceIsRefusedToTheOperator(String refused) {
    administrator
        .resource(new NamespaceBuilder().withNewMetadata().withName(refused).endMetadata().build())
        .createOr(NonDeletingOperation::update);

    for (String workload : new String[] {STATEFUL_SET, JOB}) {
      assertRefused(
          "the operator writes no object in",
          client -> client.resource(in(refused, workload)).dryRun().create());
    }
  }

  static Stream<String> foreign() {
    return Stream.of(
        """
        apiVersion: v1
        kind: Pod
        spec: {containers: [{name: a, image: a}]}
        """,
        """
        apiVersion: v1
        kind: Service
        spec: {clusterIP: None, ports: [{port: 1}]}
        """,
        """
        apiVersion: v1
        kind: ConfigMap
        """,
        """
        apiVersion: policy/v1
        kind: PodDisruptionBudget
        """,
        """
        apiVersion: apps/v1
        kind: ControllerRevision
        revision: 1
        data: {a: a}
        """,
        """
        apiVersion: apps/v1
        kind: StatefulSet
        spec:
          serviceName: a
          replicas: 0
          selector: {matchLabels: {a: a}}
          template: {metadata: {labels: {a: a}}, spec: {containers: [{name: a, image: a}]}}
        """,
        """
        apiVersion: batch/v1
        kind: Job
        spec: {suspend: true, template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}
        """,
        """
        apiVersion: snapshot.storage.k8s.io/v1
        kind: VolumeSnapshot
        spec: {source: {persistentVolumeClaimName: a}}
        """);
  }

  @ParameterizedTest
  @MethodSource("foreign")
  void foreignObjectIsNeitherDeletedNorMarkedNorGivenAnOwnerByTheOperator(String foreign)
      throws IOException {
    HasMetadata object =
        administrator.resource(in(namespace, merge(foreign, "metadata: {name: theirs}"))).create();
    // Of two policies that refuse a StatefulSet, the API server names either.
    String message = "the label sei.io/node, sei.io/nodedeployment or sei.io/image-pull";

    assertRefused(message, client -> client.resource(object).dryRun().delete());
    assertRefused(message, client -> patch(client, object, "metadata: {labels: {sei.io/node: a}}"));
    assertRefused(
        message,
        client ->
            patch(
                client,
                object,
                "metadata: {ownerReferences: [{apiVersion: sei.io/v1alpha1, kind: SeiNode,"
                    + " name: a, uid: u, controller: true}]}"));
  }

  @Test
  void nodeOfAUserIsNotDeletedByTheOperatorAndATaskOnlyIfItExpires() {
    HasMetadata node = administrator.resource(in(namespace, NODE)).create();
    HasMetadata task =
        administrator
            .resource(
                in(
                    namespace,
                    """
                    apiVersion: sei.io/v1alpha1
                    kind: SeiNodeTask
                    metadata: {name: theirs}
                    spec:
                      kind: GovVote
                      target: {nodeRef: {name: rendered}}
                      govVote: {chainId: a, proposalId: 5, option: "yes", fees: 1usei, gas: 200000}
                    """))
            .create();

    assertRefused(
        "the operator writes only objects", client -> client.resource(node).dryRun().delete());
    assertRefused("ttlSecondsAfterFinished", client -> client.resource(task).dryRun().delete());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "type: kubernetes.io/service-account-token          | type Opaque",
        "metadata: {annotations: {sei.io/genesis-of: null}} | sei.io/genesis-of",
        "metadata: {labels: null}                           | label",
      })
  void secretThatIsNoKeyIsRefusedToTheOperator(String change, String message) throws IOException {
    String secret =
        """
        apiVersion: v1
        kind: Secret
        type: Opaque
        metadata:
          name: rendered
          labels: {sei.io/nodedeployment: a}
          annotations: {sei.io/genesis-of: u, kubernetes.io/service-account.name: default}
        """;
    operator.resource(in(namespace, secret)).dryRun().create();
    HasMetadata changed = in(namespace, merge(secret, change));

    eventually(
        () ->
            assertThat(
                    administrator
                        .serviceAccounts()
                        .inNamespace(namespace)
                        .withName("default")
                        .get())
                .isNotNull());
    assertRefused(message, client -> client.resource(changed).dryRun().create());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "metadata: {finalizers: [example.com/theirs]}",
        "metadata: {labels: {sei.io/node: a}}",
        "metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: a, uid: u}]}",
      })
  void claimThatAUserImportsIsOnlyMarkedByTheOperator(String change) {
    HasMetadata claim = administrator.resource(in(namespace, CLAIM)).create();

    patch(operator, claim, "metadata: {annotations: {sei.io/claim-owner-uid: u}}");
    patch(operator, claim, "metadata: {labels: {sei.io/signing-key: a}}");
    assertRefused(
        "the operator writes only objects that have the label",
        client -> patch(client, claim, change));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "spec: {claimRef: {namespace: a, name: a}}        | nothing but the reclaim policy",
        "spec: {capacity: {storage: 2Gi}}                 | nothing but the reclaim policy",
        "spec: {mountOptions: [a]}                        | nothing but the reclaim policy",
        "spec: {accessModes: [ReadWriteMany]}             | nothing but the reclaim policy",
        "metadata: {annotations: {theirs: b}}             | nothing but the reclaim policy",
        "metadata: {annotations: null}                    | nothing but the reclaim policy",
        "metadata: {finalizers: null}                     | nothing but the reclaim policy",
        "'metadata: {ownerReferences: [{apiVersion: v1, kind: Node, name: a, uid: u}]}'"
            + " | nothing but the reclaim policy",
        "metadata: {labels: {theirs: b}}                  | labels of sei.io",
        "metadata: {labels: {theirs: null}}               | labels of sei.io",
        "metadata: {labels: {other: b}}                   | labels of sei.io",
        "spec: {persistentVolumeReclaimPolicy: Recycle}   | nothing but Retain",
      })
  void changeOfAVolumeIsRefusedToTheOperator(String change, String message) {
    HasMetadata volume =
        administrator.resource(load(VOLUME.replace("NAMESPACE", namespace))).create();

    patch(
        operator,
        volume,
        "{metadata: {labels: {sei.io/node: a}}, spec: {persistentVolumeReclaimPolicy: Retain}}");
    assertRefused(message, client -> patch(client, volume, change));
  }

  /** Refused by a policy, and by nothing else. */
  private void assertRefused(String message, Consumer<KubernetesClient> request) {
    request.accept(administrator);
    eventually(
        () ->
            assertThatThrownBy(() -> request.accept(operator))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("ValidatingAdmissionPolicy")
                .hasMessageContaining(message));
  }

  private static void patch(KubernetesClient client, HasMetadata object, String yaml) {
    try {
      client.resource(object).dryRun().patch(merge(), YAML.readTree(yaml).toString());
    } catch (IOException e) {
      throw new IllegalArgumentException(yaml, e);
    }
  }

  private static PatchContext merge() {
    return PatchContext.of(PatchType.JSON_MERGE);
  }

  /** The garbage collector deletes an object whose owner does not exist. */
  private HasMetadata ofANode(String workload) {
    String uid = administrator.resource(in(namespace, NODE)).create().getMetadata().getUid();
    return in(namespace, workload.replace("uid: u,", "uid: " + uid + ","));
  }

  private HasMetadata in(String where, String yaml) {
    HasMetadata object = load(yaml);
    object.getMetadata().setNamespace(where);
    return object;
  }

  private HasMetadata load(String yaml) {
    return administrator
        .getKubernetesSerialization()
        .unmarshal(new ByteArrayInputStream(yaml.getBytes(UTF_8)), GenericKubernetesResource.class);
  }

  private static String merge(String object, String change) throws IOException {
    ObjectNode merged = (ObjectNode) YAML.readTree(object);
    merge(merged, YAML.readTree(change));
    return merged.toString();
  }

  /** Merges like a JSON merge patch. */
  private static void merge(ObjectNode into, JsonNode change) {
    change
        .properties()
        .forEach(
            entry -> {
              if (entry.getValue().isObject()) {
                merge(into.withObject("/" + entry.getKey().replace("/", "~1")), entry.getValue());
              } else if (entry.getValue().isNull()) {
                into.remove(entry.getKey());
              } else {
                into.set(entry.getKey(), entry.getValue());
              }
            });
  }

  /** Opt-in of the chart: people confirm by an annotation, controllers of the cluster do not. */
  @Test
  void deletionOfWhatHasDataIsConfirmedByItsName(ControlPlane controlPlane, @TempDir Path directory)
      throws IOException {
    List<HasMetadata> policies = deletionPolicy(directory);
    HasMetadata fresh = administrator.resource(in(namespace, NODE)).create();
    HasMetadata node = withStatus(NODE, "used", "{dataVolume: {claimUid: u, onDelete: Retain}}");
    HasMetadata fleet = withStatus(FLEET, "fleet", "{incumbentNodes: [fleet-0]}");
    Config collects =
        new ConfigBuilder(administrator.getConfiguration())
            .withImpersonateUsername("system:serviceaccount:kube-system:generic-garbage-collector")
            .withImpersonateGroups("system:masters")
            .build();
    try (var collector = new KubernetesClientBuilder().withConfig(collects).build()) {
      for (HasMetadata used : List.of(node, fleet)) {
        String name = used.getMetadata().getName();
        String confirmed = "metadata: {annotations: {sei.io/confirm-delete: %s}}";
        assertNotConfirmed(used, name + " sei.io/confirm-delete=" + name);
        administrator.resource(used).patch(merge(), json(confirmed.formatted("other")));
        assertNotConfirmed(used, "has data");
        collector.resource(used).dryRun().delete();
        administrator.resource(used).patch(merge(), json(confirmed.formatted(name)));
        eventually(() -> administrator.resource(used).dryRun().delete());
      }
      administrator.resource(fresh).dryRun().delete();
    } finally {
      policies.forEach(policy -> administrator.resource(policy).delete());
    }
  }

  private List<HasMetadata> deletionPolicy(Path directory) throws IOException {
    Path values =
        Files.writeString(
            directory.resolve("values.yaml"),
            "{watchNamespaces: [%1$s], fullnameOverride: %1$s, admissionPolicies: {create: false, confirmDeletion: true}}"
                .formatted(namespace));
    return HelmChart.render(values)
        .only(document -> document.key().startsWith("ValidatingAdmissionPolicy"))
        .documents()
        .stream()
        .map(document -> administrator.resource(load(document.text())).create())
        .toList();
  }

  private HasMetadata withStatus(String object, String name, String status) throws IOException {
    HasMetadata created =
        administrator
            .resource(in(namespace, merge(object, "metadata: {name: %s}".formatted(name))))
            .create();
    return administrator
        .resource(created)
        .subresource("status")
        .patch(merge(), json("status: " + status));
  }

  private void assertNotConfirmed(HasMetadata object, String message) {
    eventually(
        () ->
            assertThatThrownBy(() -> administrator.resource(object).dryRun().delete())
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("deletion-of-")
                .hasMessageContaining(message));
  }

  private static String json(String yaml) throws IOException {
    return YAML.readTree(yaml).toString();
  }
}
