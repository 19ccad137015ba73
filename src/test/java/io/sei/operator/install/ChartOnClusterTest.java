package io.sei.operator.install;

import static io.sei.operator.testkit.Patience.eventually;
import static io.sei.operator.testkit.Patience.eventuallySeldom;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.Release;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.CrdFile;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.docs.PageCommands;
import io.sei.operator.testkit.AuditLog;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.OperatorJar;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The chart on a cluster that has never seen it. */
@ExclusiveControlPlane
class ChartOnClusterTest {

  private static final String NAME = HelmChart.RELEASE;
  private static final String OF_THE_RELEASE = "app.kubernetes.io/instance=" + NAME;
  private static final String KINDS =
      "deployments,replicasets,pods,services,serviceaccounts,poddisruptionbudgets,networkpolicies,"
          + "configmaps,roles,rolebindings,clusterroles,clusterrolebindings,"
          + "validatingadmissionpolicies,validatingadmissionpolicybindings";

  /** Data of a Secret, by the API server. */
  private static final int LARGEST_SECRET = 1024 * 1024;

  @TempDir Path directory;

  private ControlPlane controlPlane;
  private KubernetesClient client;

  @BeforeEach
  void prepare(ControlPlane controlPlane) throws IOException {
    this.controlPlane = controlPlane;
    client = controlPlane.client();
    // Those of the test kit are not Helm's.
    adoptCrdsBy("install.md");
  }

  /** Types the commands of a page that have Helm take over CRDs that are there. */
  private void adoptCrdsBy(String page) throws IOException {
    List<String> commands =
        PageCommands.typed(Path.of("docs", page))
            .filter(command -> command.matches("kubectl (label|annotate) (crd|-f crds/) .*"))
            .toList();
    assertThat(commands).hasSize(2);
    commands.forEach(command -> kubectl(command.substring("kubectl ".length()).split(" ")));
  }

  @AfterEach
  void remove() {
    if (ofTheRelease().contains("deployment.apps/")) {
      Helm.uninstall(NAME).withNamespace(NAME).withKubeConfig(kubeconfig()).call();
    }
    // Those that a kubelet has begun to run would wait for one to end them.
    client.pods().inNamespace(NAME).withGracePeriod(0).delete();
    CrdFile.installAll(client);
    client.resources(SeiNode.class).inAnyNamespace().delete();
  }

  @Test
  void isInstalledUpgradedAndRemovedAndLeavesCrdsAndNodes() throws IOException {
    Release installed =
        install(chartWithoutTheField("upgradesPaused"), "networkPolicy: {enabled: true}");

    assertThat(installed.getStatus()).isEqualTo("deployed");
    assertThat(installed.getOutput())
        .contains("kubectl -n sei-operator rollout status deploy/sei-operator")
        .contains("kubectl create clusterrolebinding");
    CrdFile.all()
        .forEach(crd -> assertThat(kubectl("get", "crd", crd.name())).contains(crd.name()));
    assertThat(fieldsOfNodes()).contains("paused").doesNotContain("upgradesPaused");
    assertThat(ofTheRelease()).doesNotContain("poddisruptionbudget");
    eventuallySeldom(() -> assertThat(ofTheRelease()).contains("pod/sei-operator-"));
    createNode("default");

    Release upgraded = upgrade("{replicas: 2, config: {SEI_RECONCILE_THREADS: 32}}");

    assertThat(upgraded.getRevision()).isEqualTo("2");
    assertThat(fieldsOfNodes()).contains("paused", "upgradesPaused");
    assertThat(bytesOfRelease(2)).isLessThan(LARGEST_SECRET / 2);
    assertThat(ofTheRelease())
        .contains("poddisruptionbudget.policy/sei-operator")
        .doesNotContain("networkpolicy");
    assertThat(kubectl("-n", NAME, "get", "deploy", NAME, "-o", "yaml"))
        .contains("SEI_RECONCILE_THREADS")
        .contains("replicas: 2");

    upgrade("crds: {create: false}");
    assertThat(fieldsOfNodes()).contains("upgradesPaused");
    upgrade("{}");

    Helm.uninstall(NAME).withNamespace(NAME).withKubeConfig(kubeconfig()).call();

    eventuallySeldom(() -> assertThat(ofTheRelease()).isEmpty());
    assertThat(fieldsOfNodes()).contains("upgradesPaused");
    assertThat(kubectl("get", "seinodes", "-o", "name").strip())
        .isEqualTo("seinode.sei.io/atlantic");
  }

  @Test
  void crdsOfTheGoOperatorAreRefusedUntilTheyAreAdopted() throws IOException {
    createNode("default");
    for (String theirs : List.of("seinodes", "seinodedeployments", "seinodetasks")) {
      client
          .apiextensions()
          .v1()
          .customResourceDefinitions()
          .withName(theirs + ".sei.io")
          .edit(ChartOnClusterTest::asOfTheGoOperator);
    }

    assertThatThrownBy(() -> install("{}"))
        .hasMessageContaining("invalid ownership metadata")
        .hasMessageContaining("seinode");
    assertThat(ofTheRelease()).isEmpty();

    adoptCrdsBy("from-the-go-operator.md");
    install("{}");

    assertThat(fieldsOfNodes()).contains("upgradesPaused").doesNotContain("nodeConfig");
    assertThat(node("default")).isNotNull();
  }

  /** Has a field that ours lack, lacks one of ours, and is of no release. */
  private static CustomResourceDefinition asOfTheGoOperator(CustomResourceDefinition crd) {
    crd.getMetadata().setLabels(Map.of());
    crd.getMetadata().setAnnotations(Map.of());
    Map<String, JSONSchemaProps> fields =
        crd.getSpec()
            .getVersions()
            .getFirst()
            .getSchema()
            .getOpenAPIV3Schema()
            .getProperties()
            .get("spec")
            .getProperties();
    fields.put("nodeConfig", new JSONSchemaPropsBuilder().withType("object").build());
    fields.remove("upgradesPaused");
    return crd;
  }

  @Test
  void serverKnowsEveryFieldOfTheBase() {
    // Creating drops what a server does not know; kubectl asks it first.
    kubectl("apply", "-k", InstallManifest.BASE.toString());

    kubectl("delete", "-k", InstallManifest.BASE.toString());
  }

  /** Follows docs/uninstall.md in its order. */
  @Tag("long")
  @Test
  void fleetIsRolledByKubectlAloneAndNothingButTheNamespaceAndItsLeaseStays() throws IOException {
    install("{}");
    String fleet = "snd/atlantic-fleet";
    try (var sidecar = new SidecarSimulator();
        var kubelet = new KubeletSimulator(client, sidecar);
        var operator =
            InstalledOperator.start(
                controlPlane, client, sidecar, Path.of("target", "rolled-by-kubectl.log"))) {
      kubectl("apply", "-f", "manifests/samples/seinodedeployment.yaml");
      kubectl("wait", "--for=condition=UpToDate", fleet, "--timeout=2m");
      kubectl("patch", fleet, "--type=merge", "-p", patchOfImage("example/sei:new"));
      kubectl("wait", "--for=condition=UpToDate", fleet, "--timeout=2m");
      assertThat(kubectl("get", "seinodes", "-o", "jsonpath={.items[*].status.currentImage}"))
          .isEqualTo("example/sei:new example/sei:new example/sei:new");

      kubectl("delete", "snd,seinodes", "--all", "-A");
      eventuallySeldom(() -> assertThat(ofNodes()).isEmpty());
      Helm.uninstall(NAME).withNamespace(NAME).withKubeConfig(kubeconfig()).call();
      eventuallySeldom(() -> assertThat(ofTheRelease()).isEmpty());
    }
    assertThat(kubectl("get", "leases,secrets,configmaps", "-n", NAME, "-o", "name").lines())
        .filteredOn(text -> !text.contains("-token-") && !text.contains("kube-root-ca"))
        .containsExactly("lease.coordination.k8s.io/bc1f5b0a.sei.io");

    kubectl("delete", "-f", "crds/");
    kubectl("delete", "namespace", NAME);
    assertThat(kubectl("api-resources", "--api-group=sei.io", "-o", "name")).isEmpty();
  }

  private String ofNodes() {
    return kubectl(
        "get",
        "seinodes,statefulsets,controllerrevisions,pods,services,configmaps,persistentvolumeclaims",
        "-A",
        "-l",
        "sei.io/node",
        "-o",
        "name");
  }

  private static String patchOfImage(String image) {
    return "{\"spec\":{\"template\":{\"spec\":{\"image\":\"%s\"}}}}".formatted(image);
  }

  @Test
  void rightsInTheWatchedNamespacesAreEnough() throws IOException {
    for (String namespace : List.of("pacific", "atlantic", "other")) {
      client
          .resource(
              new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
          .create();
    }
    install("watchNamespaces: [pacific, atlantic]");
    try (var sidecar = new SidecarSimulator();
        var kubelet = new KubeletSimulator(client, sidecar);
        var operator =
            InstalledOperator.start(
                controlPlane, client, sidecar, Path.of("target", "watched-namespaces.log"))) {
      createNode("other");
      createNode("pacific");
      createNode("atlantic");

      eventually(() -> assertThat(isUpToDate("pacific") && isUpToDate("atlantic")).isTrue());
      assertThat(node("other").getStatus()).isNull();
    }
    assertThat(AuditLog.of(controlPlane.auditLog(), InstalledOperator.USER).requests())
        .isNotEmpty()
        .noneMatch(AuditLog.Request::isForbidden);
  }

  /** Plays the kubelet: runs the command of the test's pod, and reports how it ended. */
  @Tag("long")
  @Test
  void testOfTheReleaseRunsAsAPodThatMayNothing() throws Exception {
    client
        .resource(
            new NamespaceBuilder()
                .withNewMetadata()
                .withName(NAME)
                .addToLabels("pod-security.kubernetes.io/enforce", "restricted")
                .endMetadata()
                .build())
        .createOr(NonDeletingOperation::update);
    install("{}");
    try (var sidecar = new SidecarSimulator();
        var operator =
            InstalledOperator.start(
                controlPlane, client, sidecar, Path.of("target", "helm-test.log"))) {
      eventually(() -> assertThat(operator.isReady()).isTrue());
      CompletableFuture<Release> tested =
          CompletableFuture.supplyAsync(
              () -> Helm.test(NAME).withNamespace(NAME).withKubeConfig(kubeconfig()).call());
      PodResource pod = client.pods().inNamespace(NAME).withName(NAME + "-test");
      eventually(() -> assertThat(pod.get()).isNotNull());

      OperatorJar check =
          InstalledOperator.check(
              controlPlane, client, pod.get().getSpec(), operator.readinessUrl().orElseThrow());
      eventually(() -> assertThat(check.isAlive()).isFalse());
      assertThat(Files.readString(check.log())).contains("/readyz: ok\n");
      pod.editStatus(
          done -> new PodBuilder(done).withNewStatus().withPhase("Succeeded").endStatus().build());

      assertThat(tested.get(1, TimeUnit.MINUTES).getStatus()).isEqualTo("deployed");
      eventually(() -> assertThat(pod.get()).isNull());
    }
    assertThat(can("system:serviceaccount:" + NAME + ":" + NAME + "-test", "list", "seinodes"))
        .isFalse();
  }

  @Test
  @Tag("long")
  void viewersSeeNodesAndEditorsChangeThem() throws IOException {
    install("{}");
    for (String role : List.of("view", "edit")) {
      kubectl("create", "rolebinding", role, "--clusterrole=" + role, "--user=" + role);
    }

    eventually(
        () -> {
          assertThat(can("view", "list", "seinodes")).isTrue();
          assertThat(can("edit", "get", "seinodedeployments")).isTrue();
          assertThat(can("edit", "patch", "seinodes")).isTrue();
          assertThat(can("edit", "update", "seinodedeployments", "--subresource=scale")).isTrue();
        });
    assertThat(can("view", "patch", "seinodes")).isFalse();
    assertThat(can("edit", "patch", "seinodes", "--subresource=status")).isFalse();
  }

  /** The fields of a node's spec, as the API server has them. */
  private Set<String> fieldsOfNodes() {
    return client
        .apiextensions()
        .v1()
        .customResourceDefinitions()
        .withName("seinodes.sei.io")
        .get()
        .getSpec()
        .getVersions()
        .getFirst()
        .getSchema()
        .getOpenAPIV3Schema()
        .getProperties()
        .get("spec")
        .getProperties()
        .keySet();
  }

  /** Returns a copy of the chart whose CRD of nodes lacks a field of the spec. */
  private Helm chartWithoutTheField(String field) throws IOException {
    Path copy = HelmChart.copyTo(directory.resolve("older"));
    Path crd = copy.resolve("files").resolve("crds").resolve("seinodes.sei.io.yaml");
    ObjectNode older = (ObjectNode) Manifest.read(crd).documents().getFirst().content();
    ((ObjectNode) older.at("/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties"))
        .remove(field);
    Files.writeString(crd, Serialization.asYaml(older));
    return new Helm(copy);
  }

  /** Helm keeps chart and manifests of a revision in a Secret. */
  private int bytesOfRelease(int revision) {
    Secret secret =
        client
            .secrets()
            .inNamespace(NAME)
            .withName("sh.helm.release.v1.%s.v%d".formatted(NAME, revision))
            .get();
    return Base64.getDecoder().decode(secret.getData().get("release")).length;
  }

  private Release install(String values) throws IOException {
    return install(HelmChart.helm(), values);
  }

  private Release install(Helm chart, String values) throws IOException {
    return chart
        .install()
        .withName(NAME)
        .withNamespace(NAME)
        .createNamespace()
        .withKubeConfig(kubeconfig())
        .withValuesFile(file(values))
        .call();
  }

  private Release upgrade(String values) throws IOException {
    return HelmChart.helm()
        .upgrade()
        .withName(NAME)
        .withNamespace(NAME)
        .withKubeConfig(kubeconfig())
        .withValuesFile(file(values))
        .call();
  }

  private Path file(String values) throws IOException {
    return Files.writeString(Files.createTempFile(directory, "values", ".yaml"), values);
  }

  private Path kubeconfig() {
    return controlPlane.kubeconfig(ControlPlane.ADMIN);
  }

  private String ofTheRelease() {
    return kubectl("get", KINDS, "-A", "-l", OF_THE_RELEASE, "-o", "name");
  }

  private String kubectl(String... arguments) {
    var run = controlPlane.kubectl(arguments);
    assertThat(run.exitCode()).as(Arrays.toString(arguments) + run.stderr()).isZero();
    return run.stdout();
  }

  private boolean can(String user, String... what) {
    List<String> question = new ArrayList<>(List.of("auth", "can-i", "--as=" + user));
    question.addAll(List.of(what));
    return controlPlane.kubectl(question.toArray(String[]::new)).stdout().strip().equals("yes");
  }

  private void createNode(String namespace) throws IOException {
    try (var sample = Files.newInputStream(Path.of("manifests", "samples", "seinode.yaml"))) {
      for (HasMetadata object : client.load(sample).items()) {
        object.getMetadata().setNamespace(namespace);
        client.resource(object).create();
      }
    }
  }

  private SeiNode node(String namespace) {
    return client.resources(SeiNode.class).inNamespace(namespace).withName("atlantic").get();
  }

  private boolean isUpToDate(String namespace) {
    var status = node(namespace).getStatus();
    return status != null
        && Conditions.find(status.conditions(), NodeConditionType.UP_TO_DATE)
            .filter(condition -> condition.isTrue())
            .isPresent();
  }
}
