package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.ApiFault;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.Tenant;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import io.sei.operator.testkit.controlplane.ExclusiveControlPlane;
import io.sei.operator.testkit.controlplane.TestNamespace;
import io.sei.operator.testkit.samples.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tenants who create objects that look like the operator's own mislead no {@code kubectl sei}. */
@ExclusiveControlPlane
class KubectlPluginDecoyTest {

  private static final Path CRDS = Path.of("crds").toAbsolutePath();
  private static final String ESCAPE = "\u001b";

  @TempDir Path directory;

  private final List<HasMetadata> clusterScoped = new ArrayList<>();
  private ControlPlane controlPlane;
  private KubernetesClient client;
  private KubernetesClient tenant;
  private String namespace;

  @BeforeEach
  void prepare(ControlPlane controlPlane, KubernetesClient client, TestNamespace namespace)
      throws IOException {
    this.controlPlane = controlPlane;
    this.client = client;
    this.namespace = namespace.name();
    tenant = Tenant.of(client, controlPlane.config(ControlPlane.ADMIN), this.namespace);
    client.resource(Samples.node(this.namespace, "val", Samples.fullNode("sei:a"))).create();
    stall("container seid: ErrImagePull");
  }

  @AfterEach
  void removeWhatIsNotOfTheNamespace() {
    clusterScoped.forEach(object -> client.resource(object).delete());
    client.resources(SeiNode.class).inNamespace(namespace).delete();
    tenant.close();
  }

  @Test
  void theAnnotationOfADeploymentOfATenantIsNotRead() {
    decoy(
        "{{\"\\u001b[2J\\u001b[H\"}}snode/val  Ready{{\"\\n"
            + "\"}}  Nothing is wrong with it.{{\"\\u001b[8m\"}}");
    assertThat(sei(1, "why", "val"))
        .contains("Stalled", "ErrImagePull", "runbook: docs/runbooks/ImagePull.md")
        .doesNotContain(ESCAPE, "Nothing is wrong");

    annotate("{{");
    assertThat(sei(1, "why", "val")).contains("runbook: docs/runbooks/ImagePull.md");

    annotate("https://evil.example/runbooks");
    assertThat(sei(1, "why", "val")).doesNotContain("evil.example");
    assertThat(sei(1, "why", "-A")).doesNotContain("evil.example");
    assertThat(sei(0, "version")).contains("found no operator").doesNotContain(namespace);
  }

  @Test
  void theOperatorIsFoundByItsBindingAlsoUnderAnotherName() throws IOException {
    decoy("https://evil.example/runbooks");
    String operators =
        install(
            """
            nameOverride: chain
            prometheusRule: {runbookUrl: https://wiki.example/runbooks}
            """,
            "ClusterRoleBinding");

    assertThat(sei(1, "why", "val"))
        .contains("runbook: https://wiki.example/runbooks/ImagePull.md");
    assertThat(sei(1, "why", "-A")).contains("https://wiki.example/runbooks/ImagePull.md");
    assertThat(sei(0, "version"))
        .contains("(" + operators + "/rel-chain, 0/1 ready)")
        .doesNotContain(namespace + "/");

    annotate(client, operators, "rel-chain", "https://wiki.example/{{.}}");
    assertThat(sei(1, "why", "val")).contains("runbook: docs/runbooks/ImagePull.md");
  }

  /** The binding in the namespace that is asked for, which the ClusterRole edit cannot create. */
  @Test
  void anOperatorWithoutAClusterRoleIsFoundByItsBindingInTheNamespace() throws IOException {
    install(
        """
        watchNamespaces: [%s]
        rbac: {readMachines: false, updatePodsInPlace: false}
        signing: {scope: Namespaces}
        prometheusRule: {runbookUrl: https://wiki.example/runbooks}
        """
            .formatted(namespace),
        "RoleBinding");

    assertThat(sei(1, "why", "val"))
        .contains("runbook: https://wiki.example/runbooks/ImagePull.md");
    assertThat(sei(1, "why", "-A")).contains("docs/runbooks/ImagePull.md").doesNotContain("wiki");
  }

  @Test
  void theMetricsOfADecoyPodAreNotRead() throws IOException {
    String operators = install("nameOverride: chain", "ClusterRoleBinding");
    pod(client, operators, "rel-chain-0", "rel-chain", "chain");
    pod(tenant, namespace, "decoy", "default", "sei-operator");
    String metric =
        "sei_chain_upgrade_time_seconds{chain=\"atlantic-2\",namespace=\"%s\",upgrade=\"%s\"} 1\n";
    try (var server = new FaultyApiServer(controlPlane.config(ControlPlane.ADMIN))) {
      answer(server, operators, metric.formatted(namespace, "v9" + ESCAPE + "[31m"));
      answer(server, namespace, metric.formatted(namespace, "evil"));
      KubectlSei plugin = new KubectlSei(controlPlane, List.of()).through(server);
      for (List<String> flags : List.of(List.of("-n", namespace), List.of("-A"))) {
        KubectlResult upgrades = plugin.with(flags.toArray(String[]::new)).run("upgrades");

        assertThat(upgrades.exitCode()).as("%s", upgrades).isZero();
        assertThat(upgrades.stdout())
            .contains("atlantic-2 is to reach v9[31m in 0 d 0 h 0 min")
            .doesNotContain("evil", ESCAPE);
      }
      assertThat(server.received()).noneMatch(request -> request.path().contains("/pods/decoy"));
    }
  }

  /** Beside C0 also C1, which terminals take for an escape, and what changes the direction. */
  @Test
  void nothingThatItPrintsHasControlCharacters() throws IOException {
    stall("a\u001b[2Jb\u0007c\u007fd\u009b31me\u202ef\u2066g\th\u00e9i \uD83D\uDE80");

    for (String[] command : List.of(new String[] {"why", "val"}, new String[] {"status", "val"})) {
      KubectlResult result = run(command);
      assertThat(result.stdout()).contains("a[2Jbcd31mefg\th\u00e9i \uD83D\uDE80");
    }
    assertThat(sei(1, "why")).contains("a[2Jbcd31mefg");
    KubectlResult refused = run("why", "x" + ESCAPE + "[2J");
    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.stderr()).contains("x[2J").doesNotContain(ESCAPE);
  }

  /**
   * Refuses the flag: with the administrator's credentials kubectl would talk to a server of the
   * tenant's choice.
   */
  @Test
  void theHolderOfALeaseOfATenantIsNoFlagOfKubectl() {
    tenant
        .resource(
            Samples.yaml(
                Lease.class,
                "{metadata: {name: bc1f5b0a.sei.io, namespace: %s},"
                    + " spec: {holderIdentity: '--server=https://127.0.0.1:1/_x'}}",
                namespace))
        .create();

    KubectlResult result =
        new KubectlSei(controlPlane, List.of()).run("preflight", "--crds=" + CRDS);

    assertThat(result.stderr()).doesNotContain("127.0.0.1:1", "cannot get pods");
    assertThat(result.exitCode()).as("%s", result).isNotEqualTo(2);
  }

  @Test
  void runbooksOfTheEnvironmentAreNoTemplate() {
    KubectlResult result =
        KubectlSei.alone(
            Map.of("SEI_RUNBOOKS", "my runbooks{{printf \"%s\" .}}"),
            "why",
            "val",
            "-n",
            namespace);

    assertThat(result.exitCode()).isEqualTo(2);
    assertThat(result.stderr()).contains("SEI_RUNBOOKS must be");
  }

  @Test
  void supportSaysWhatItsArchiveHas() {
    String script =
        "cd %s && %s support -n %s && tar -xzOf sei-support-*.tar.gz --wildcards '*/README.txt'"
            .formatted(directory, KubectlSei.program(), namespace);

    KubectlResult result = controlPlane.callingKubectl("", List.of("/bin/sh", "-c", script));

    assertThat(result.exitCode()).as("%s", result).isZero();
    assertThat(result.stdout().lines().filter(stdout -> stdout.contains("overrides")))
        .hasSize(2)
        .allMatch(line -> line.contains("environment variables") && line.contains("annotations"));
  }

  private void stall(String message) throws IOException {
    var condition =
        Map.of(
            "type", "Stalled",
            "status", "True",
            "reason", "ImagePull",
            "message", message,
            "lastTransitionTime", "2026-11-27T00:00:00Z");
    client
        .resource(Samples.node(namespace, "val", Samples.fullNode("sei:a")))
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            client
                .getKubernetesSerialization()
                .asJson(Map.of("status", Map.of("conditions", List.of(condition)))));
  }

  private void decoy(String runbooks) {
    tenant
        .resource(
            Samples.yaml(
                Deployment.class,
                """
                metadata:
                  name: decoy
                  namespace: %s
                  labels: {app.kubernetes.io/name: sei-operator, app.kubernetes.io/part-of: sei-operator}
                spec:
                  replicas: 0
                  selector: {matchLabels: {a: b}}
                  template:
                    metadata: {labels: {a: b}}
                    spec: {serviceAccountName: rel-chain, containers: [{name: a, image: a}]}
                """,
                namespace))
        .create();
    annotate(runbooks);
  }

  private void annotate(String runbooks) {
    annotate(tenant, namespace, "decoy", runbooks);
  }

  private void annotate(KubernetesClient user, String in, String deployment, String runbooks) {
    user.apps()
        .deployments()
        .inNamespace(in)
        .withName(deployment)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            user.getKubernetesSerialization()
                .asJson(
                    Map.of(
                        "metadata", Map.of("annotations", Map.of("sei.io/runbooks", runbooks)))));
  }

  /** Installs what the plugin looks for of a release; returns the release's namespace. */
  private String install(String values, String binding) throws IOException {
    String operators = namespace + "-operator";
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(operators).endMetadata().build())
        .create();
    Path file = Files.writeString(directory.resolve("values.yaml"), values);
    Manifest.parse(
            HelmChart.template()
                .withName("rel")
                .withNamespace(operators)
                .set("crds.create", false)
                .withValuesFile(file)
                .call())
        .only(
            document ->
                document.key().startsWith("Deployment ")
                    || document.key().startsWith(binding + " "))
        .documents()
        .forEach(document -> create(document.text()));
    return operators;
  }

  private void create(String text) {
    HasMetadata object = client.getKubernetesSerialization().unmarshal(text);
    client.resource(object).create();
    if (object.getMetadata().getNamespace() == null) {
      clusterScoped.add(object);
    }
  }

  private void pod(KubernetesClient user, String in, String name, String account, String app) {
    if (!account.equals("default")) {
      user.resource(
              Samples.yaml(
                  ServiceAccount.class, "metadata: {namespace: %s, name: %s}", in, account))
          .create();
    }
    user.resource(
            Samples.yaml(
                Pod.class,
                "{metadata: {namespace: %s, name: %s, labels: {app.kubernetes.io/name: %s}},"
                    + " spec: {serviceAccountName: %s, automountServiceAccountToken: false,"
                    + " containers: [{name: a, image: a}]}}",
                in,
                name,
                app,
                account))
        .create();
  }

  private static void answer(FaultyApiServer server, String in, String metrics) {
    server.inject(
        request ->
            request.path().contains("/namespaces/" + in + "/")
                && request.path().endsWith("/proxy/metrics"),
        request -> Optional.of(new ApiFault.Answer(200, Map.of(), metrics)));
  }

  private String sei(int exitCode, String... arguments) {
    KubectlResult result = run(arguments);
    assertThat(result.exitCode()).as("%s", result).isEqualTo(exitCode);
    return result.stdout();
  }

  private KubectlResult run(String... arguments) {
    List<String> flags = List.of(arguments).contains("-A") ? List.of() : List.of("-n", namespace);
    return new KubectlSei(controlPlane, flags).run(arguments);
  }
}
