package io.sei.operator.install;

import static io.sei.operator.testkit.Patience.eventually;
import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.CrdFile;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.takeover.FieldOwnership;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import io.sei.operator.testkit.samples.Samples;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code kubectl sei preflight} in a cluster with the CRDs of a later Go operator. */
@ExclusiveControlPlane
class PreflightTest {

  /**
   * A node of a later version: nodes configured by ConfigMaps, a workflow that has adopted a node,
   * destinations of routes.
   */
  private static final String NODE =
      """
      apiVersion: sei.io/v1alpha1
      kind: SeiNode
      metadata: {name: configured, namespace: ${namespace}, annotations: {name: "{", nodeConfig: "spec"}}
      spec:
        chainId: atlantic-2
        image: sei:a
        fullNode: {}
        nodeConfig: {configRef: {name: key}}
        overrides: {"p2p.seed": "x"}
        peers:
        - static: {addresses: ["86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@b:26656"]}
        - label: {selector: {nodeConfig: "yes"}}
          nodeConfig: {}
      """;

  private static final String FLEET =
      """
      apiVersion: sei.io/v1alpha1
      kind: SeiNodeDeployment
      metadata: {name: fleet, namespace: ${namespace}}
      spec:
        replicas: 1
        template:
          metadata: {labels: {nodeConfig: "no"}}
          spec: {chainId: atlantic-2, image: "sei:a", fullNode: {}, nodeConfig: {}}
      """;

  private static final String TASK =
      """
      apiVersion: sei.io/v1alpha1
      kind: SeiNodeTask
      metadata: {name: task, namespace: ${namespace}}
      spec: {kind: MarkReady, markReady: {}, target: {nodeRef: {name: configured}}, nodeConfig: {}}
      """;

  private static final String DEPLOYMENT =
      """
      apiVersion: apps/v1
      kind: Deployment
      metadata: {name: controller-manager, namespace: ${namespace}}
      spec:
        selector: {matchLabels: {a: b}}
        template:
          metadata: {labels: {a: b}}
          spec:
            containers:
            - name: manager
              image: manager
              envFrom: [{configMapRef: {name: more}}]
              env:
              - {name: SEI_SIDECAR_IMAGE, value: x}
              - {name: SEI_NODEPOOL_NAME, value: x}
              - {name: SEI_SEED_NODEPOOL, value: x}
              - {name: OTEL_EXPORTER_OTLP_ENDPOINT, value: x}
              - {name: POD_NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
      """;

  private static final String POD =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: controller-manager-x, namespace: ${namespace}}
      spec: {containers: [{name: manager, image: manager}], automountServiceAccountToken: false}
      """;

  private ControlPlane controlPlane;
  private KubernetesClient client;
  private String namespace;

  @BeforeEach
  void prepare(ControlPlane controlPlane, KubernetesClient client, TestNamespace namespace) {
    this.controlPlane = controlPlane;
    this.client = client;
    this.namespace = namespace.name();
  }

  @AfterEach
  void cleanUp() {
    for (String kind : List.of("seinodes", "seinodedeployments", "seinodetasks")) {
      run("kubectl", "delete", kind, "--all", "-n", namespace, "--wait=false");
    }
    // Costs nothing where they are the ones that are there.
    CrdFile.installAll(client);
  }

  @Test
  void fieldsThatOurCrdsWouldDropAreListedByObjectAndPath() throws IOException {
    CrdFile.install(client, PreflightTest::addFields);
    create("seinodes", NODE);
    create("seinodedeployments", FLEET);
    create("seinodetasks", TASK);
    patchStatus();

    KubectlResult told = preflight("--crds=crds/");

    assertThat(told.exitCode()).as("%s", told).isEqualTo(1);
    assertThat(told.stdout().lines())
        .containsSubsequence(
            "Applying the CRDs in crds/ would drop:",
            "  snd/fleet in %s: spec.template.spec.nodeConfig".formatted(namespace),
            "  snode/configured in %s: spec.nodeConfig".formatted(namespace),
            "  snode/configured in %s: spec.peers[1].nodeConfig".formatted(namespace),
            "  snode/configured in %s: status.nodeConfig".formatted(namespace),
            "  snt/task in %s: spec.nodeConfig".formatted(namespace));
    assertThat(told.stdout().lines().filter(line -> line.contains(namespace + ":"))).hasSize(5);

    CrdFile.installAll(client);

    eventually(
        () -> {
          KubectlResult after = preflight();
          assertThat(after.exitCode()).as("%s", after).isZero();
          assertThat(after.stdout()).contains("Nothing would be lost.");
        });
    SeiNode configured =
        client.resources(SeiNode.class).inNamespace(namespace).withName("configured").get();
    assertThat(new FieldOwnership(client, "ours").unserved(configured, SeiNodeSpec.class))
        .as("what is named at adoption")
        .containsExactly("spec.nodeConfig");
    assertThat(run("kubectl", "get", "seinode", "configured", "-n", namespace, "-o", "yaml"))
        .extracting(KubectlResult::stdout)
        .asString()
        .doesNotContain("configRef");
  }

  @Test
  @Tag("long")
  void settingsThatWeDoNotReadAndAGoOperatorThatRunsAreListed() {
    apply(DEPLOYMENT);
    apply(POD);
    client
        .resource(
            yaml(
                Lease.class,
                """
                metadata: {name: bc1f5b0a.sei.io, namespace: %s}
                spec: {holderIdentity: controller-manager-x_0f5c}
                """,
                namespace))
        .create();

    eventually(
        () ->
            assertThat(preflight().stdout())
                .contains(
                    "A Go operator runs. Before you start this one: kubectl -n %s scale deployment"
                        .formatted(namespace)));

    KubectlResult told = preflight();
    assertThat(told.exitCode()).as("%s", told).isEqualTo(1);
    assertThat(told.stdout().lines())
        .containsSubsequence(
            "This operator does not read these settings of deployment/controller-manager in %s:"
                .formatted(namespace),
            "  (ConfigMap/more)",
            "  SEI_SEED_NODEPOOL",
            "  OTEL_EXPORTER_OTLP_ENDPOINT");
    assertThat(told.stdout())
        .doesNotContain("SEI_NODEPOOL_NAME", "POD_NAME")
        .contains("pod/controller-manager-x in %s holds its Lease".formatted(namespace));
    run("kubectl", "delete", "deployment,lease,pod", "--all", "-n", namespace);
  }

  /** The nodes of a Go operator name each other whether they are asked or not. */
  @Test
  void nodesThatWouldLosePeersInAnotherNamespaceAreListed() {
    String other = namespace + "-other";
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName(other).endMetadata().build())
        .create();
    peer(
        namespace,
        "seeker",
        "{'sei.io/chain':'arctic-1'}",
        "{'sei.io/chain':'atlantic-2','a':'b'}");
    peer(other, "silent", "{'a':'b'}", null);
    peer(other, "consents", "{'a':'b','sei.io/peers-from':'%s'}".formatted(namespace), null);
    peer(other, "open", "{'a':'b','sei.io/peers-from':'All'}", null);
    peer(other, "closed", "{'a':'b','sei.io/peers-from':'all'}", null);
    peer(other, "unlike", "{'a':'c'}", null);

    KubectlResult told = preflight();

    assertThat(told.exitCode()).as("%s", told).isEqualTo(1);
    assertThat(told.stdout().lines().filter(line -> line.startsWith("  snode/")))
        .containsExactlyInAnyOrder(
            "  snode/seeker in %s: snode/silent in %s".formatted(namespace, other),
            "  snode/seeker in %s: snode/closed in %s".formatted(namespace, other));
    assertThat(told.stdout()).contains("unless those get the label sei.io/peers-from");
    run("kubectl", "delete", "seinodes", "--all", "-n", other);
  }

  private void peer(String inNamespace, String name, String labels, String selector) {
    SeiNode node = Samples.node(inNamespace, name, Samples.fullNode("sei:a"));
    node.getMetadata().setLabels(map(labels));
    if (selector != null) {
      var label = new PeerSource.LabelPeers(map(selector), namespace + "-other");
      node.setSpec(node.getSpec().withPeers(List.of(new PeerSource(null, null, label))));
    }
    client.resource(node).create();
  }

  private static Map<String, String> map(String json) {
    return Serialization.unmarshal(json.replace('\'', '"'), new TypeReference<>() {});
  }

  @Test
  void whatCannotBeLookedAtIsSaid() {
    client.resource(Samples.node(namespace, "configured", Samples.fullNode("sei:a"))).create();

    assertUnseen("cannot read the CRDs of this operator in /nonexistent", "--crds=/nonexistent");
    assertUnseen(
        "no CRD of kind SeiNode in crds/seinodedeployments",
        "--crds=crds/seinodedeployments.sei.io.yaml");
    assertUnseen("cannot list the kinds of sei.io", "--crds=crds", "--server=http://127.0.0.1:1");
  }

  private void assertUnseen(String what, String... arguments) {
    KubectlResult told = preflight(arguments);
    assertThat(told.exitCode()).as("%s", told).isEqualTo(2);
    assertThat(told.stderr()).contains("preflight failed: " + what);
    assertThat(told.stdout()).doesNotContain("Nothing would be lost");
  }

  /** Puts a field {@code nodeConfig} of no known shape next to some of those that there are. */
  private static void addFields(CustomResourceDefinition crd) {
    JSONSchemaProps root = crd.getSpec().getVersions().get(0).getSchema().getOpenAPIV3Schema();
    JSONSchemaProps spec = root.getProperties().get("spec");
    JSONSchemaProps node =
        crd.getSpec().getNames().getKind().equals("SeiNodeDeployment")
            ? spec.getProperties().get("template").getProperties().get("spec")
            : spec;
    var parents = new ArrayList<>(List.of(node, root.getProperties().get("status")));
    if (node.getProperties().containsKey("peers")) {
      parents.add(node.getProperties().get("peers").getItems().getSchema());
    }
    for (JSONSchemaProps parent : parents) {
      parent
          .getProperties()
          .put(
              "nodeConfig",
              new JSONSchemaPropsBuilder()
                  .withType("object")
                  .withXKubernetesPreserveUnknownFields(true)
                  .build());
    }
  }

  /** Once the API server has the schema that the object is of. */
  private void create(String plural, String yaml) throws IOException {
    String path = "/apis/sei.io/v1alpha1/namespaces/" + namespace + "/" + plural;
    JsonNode object = new YAMLMapper().readTree(yaml.replace("${namespace}", namespace));
    eventually(
        () ->
            assertThat(client.raw(path + "?dryRun=All", "POST", object))
                .contains("\"nodeConfig\":{"));
    client.raw(path, "POST", object);
  }

  private void patchStatus() {
    eventually(
        () -> {
          run(
              "kubectl",
              "patch",
              "seinode",
              "configured",
              "-n",
              namespace,
              "--subresource=status",
              "--type=merge",
              "-p",
              "{\"status\":{\"phase\":\"Running\",\"nodeConfig\":{\"a\":1}}}");
          assertThat(client.raw(configured())).contains("\"nodeConfig\":{\"a\":1}");
        });
  }

  private String configured() {
    return "/apis/sei.io/v1alpha1/namespaces/" + namespace + "/seinodes/configured";
  }

  private void apply(String yaml) {
    String object = yaml.replace("${namespace}", namespace);
    client
        .load(new ByteArrayInputStream(object.getBytes(StandardCharsets.UTF_8)))
        .items()
        .forEach(metadata -> client.resource(metadata).create());
  }

  private KubectlResult preflight(String... arguments) {
    var command = new ArrayList<>(List.of("preflight"));
    command.addAll(
        arguments.length > 0
            ? List.of(arguments)
            : List.of("--crds=" + Path.of("crds").toAbsolutePath()));
    return new KubectlSei(controlPlane, List.of()).run(command.toArray(String[]::new));
  }

  private KubectlResult run(String... command) {
    return controlPlane.callingKubectl("", List.of(command));
  }
}
