package io.sei.operator.fleet;

import static io.sei.operator.render.Annotations.RESTART_REQUESTED_AT;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshotBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.render.SnapshotRenderer;
import io.sei.operator.testkit.FaultyApiServer;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.Tenant;
import io.sei.operator.testkit.TestSnapshots;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ControlPlane.KubectlResult;
import io.sei.operator.testkit.samples.Samples;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of the on-call, with their output. */
@Order(1)
class KubectlPluginTest extends FleetTestCase {

  private static final String NODE = "single";
  private static final Path OPERATOR = Path.of("deploy", "kustomize", "base", "operator.yaml");
  private static final String AGGREGATED = "rbac.authorization.k8s.io/aggregate-to-edit";

  @TempDir Path directory;

  private KubectlSei plugin;

  @BeforeEach
  void prepare() {
    plugin = new KubectlSei(controlPlane, namespace);
  }

  @Test
  void tellsWhatIsWrongWithAFleetAndTakesItBack() {
    createReady(2);
    assertThat(sei("status")).contains("seinodedeployment.sei.io/fleet", "fleet-0", "fleet-1");
    assertThat(sei("why", FLEET)).contains("snd/fleet  Ready", "Nothing is wrong with it.");
    assertThat(sei("why")).isEqualTo("Nothing is wrong.\n");
    assertThat(sei("plan", "snode/fleet-0")).contains("No plan is active", "Init to " + A);
    assertTellsOfUpgrades();

    assertThat(sei("wait", FLEET)).contains("snd/fleet: Ready, updated 2/2, ready 2/2");
    assertListsSnapshots();

    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    setImage(B);

    KubectlResult stalled = run("watch", FLEET, "--timeout=2m");
    assertThat(stalled.exitCode()).isEqualTo(1);
    // No step comes before the last line where the fleet is stalled at the first look.
    assertThat(stalled.stdout() + stalled.stderr()).contains("snd/fleet: ", "updated 0/2");
    assertThat(stalled.stderr()).contains("ImagePull: fleet-1: ", "see kubectl sei why snd/fleet");
    eventuallySeldom(
        () ->
            assertThat(stdout(1, "why", FLEET))
                .contains("Stalled", "fleet-1: ", "runbook: docs/runbooks/ImagePull.md")
                .doesNotContain("Nothing is wrong"));
    assertListsEveryProblem();
    assertThat(stdout(1, "why", "snode/fleet-1"))
        .contains("fleet-1  Running, not Ready  " + A + " > " + B, "docs/runbooks/ImagePull.md")
        .contains("observe-image");
    assertThat(sei("plan", FLEET)).contains("admitted", "not admitted yet", "await-spec-update");
    assertThat(sei("status", "snd/fleet")).contains("Upgrading", "fleet-0", "RolloutInProgress");

    assertThat(sei("rollback", FLEET)).contains("fleet patched", "image " + A);
    SeiNodeSpec rolledBack = fleet().getSpec().template().spec();
    assertThat(rolledBack.upgrades()).extracting(Upgrade::name).containsExactly("v9");
    assertThat(rolledBack.upgradesPaused()).isTrue();

    awaitUpToDate(2, A);
    assertThat(podImages(0)).containsExactly(A);
    assertThat(podImages(1)).containsExactly(A, B, A);
    KubectlResult again = run("rollback", FLEET);
    assertThat(again.exitCode()).isEqualTo(1);
    assertThat(again.stderr()).contains("every node already runs the last template", "  " + B);
    assertThat(sei("revisions", FLEET))
        .containsPattern("1 +" + A + "  current\n")
        .containsPattern("2 +" + B + "\n");
    assertThat(sei("rollback", FLEET, "--to-revision=2", "--dry-run=server"))
        .contains("would go back to revision 2", "image " + B);
    assertThat(specImages()).containsOnly(A);
    createNode(FLEET);
    assertRefused(2, "use snd/fleet or snode/fleet", "pause", FLEET);
    assertThat(sei("status", FLEET)).contains("snd/fleet", "snode/fleet");
  }

  @Tag("long")
  @Test
  void saysWhatWillRunAndFindsNoFaultWithWhatWasAskedFor() {
    createReady(1);
    patch("{'spec':{'template':{'spec':{'updatePolicy':{'pod':'InPlaceIfPossible'}}}}}");
    awaitUpdates("InPlaceIfPossible");
    patch("{'spec':{'template':{'spec':{'updatePolicy':null}}}}");
    awaitUpdates("Recreate");
    assertThat(sei("why", "snode/fleet-0")).contains("Nothing is wrong with it.");

    operator.stop();
    patchStatus(
        read(SeiNode.class, "fleet-0"),
        "{'status':{'upgrades':[{'name':'v2','height':5,'state':'Applied','supersededImage':'%s','image':'%s'}]}}"
            .formatted(A, B));

    assertThat(sei("rollback", FLEET, "--to-revision=1", "--dry-run=server"))
        .contains(
            "would go back to revision 1, image "
                + B
                + ": the data has been through an upgrade of the chain since "
                + A);
  }

  private void awaitUpdates(String reason) {
    eventually(
        () ->
            assertThat(read(SeiNode.class, "fleet-0").getStatus().conditions())
                .anyMatch(
                    condition ->
                        condition.type().equals("UpdatesInPlace")
                            && condition.reason().equals(reason)));
  }

  @Test
  @Tag("long")
  void rollbackKeepsTheRestartAndLosesNobodysEdit() throws IOException {
    createReady(2);

    assertThat(sei("restart", "snd/fleet")).contains("fleet annotated");

    eventually(() -> assertThat(podImages(0)).containsExactly(A, A));
    awaitUpToDate(2, A);
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    setImage(B);
    eventually(() -> assertThat(podImages(1)).containsExactly(A, A, B));
    sei("rollback", "snd/fleet");
    assertThat(fleet().getMetadata().getAnnotations()).doesNotContainKey(RESTART_REQUESTED_AT);
    assertThat(fleet().getSpec().template().metadata().annotations())
        .containsKey(RESTART_REQUESTED_AT);
    awaitUpToDate(2, A);
    assertThat(podImages(0)).containsExactly(A, A);
    assertThat(podImages(1)).containsExactly(A, A, B, A);
    assertThat(sei("restart", "snode/fleet-0")).contains("fleet-0 annotated");
    eventually(() -> assertThat(podImages(0)).containsExactly(A, A, A));
    awaitUpToDate(2, A);
    assertRefused(1, "belongs to a fleet", "rollback", "snode/fleet-0");

    KubectlResult result = rollBackWhileReplicasAreEdited();

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.stderr()).contains("nothing was changed");
    assertThat(fleet().getSpec().replicas()).isEqualTo(1);
    assertThat(fleet().getMetadata().getGeneration()).isEqualTo(4);
  }

  @Tag("long")
  @Test
  void rollbackLeavesWhatIsNoPartOfAKeptTemplate() {
    createReady(1);
    patch(
        "{'spec':{'template':{'spec':{'image':'%s','externalAddress':'host:26656'}}}}"
            .formatted(B));
    awaitUpToDate(1, B);
    operator.stop();

    sei("rollback", FLEET, "--to-revision=1");

    assertThat(fleet().getSpec().template().spec())
        .isEqualTo(spec(A).withExternalAddress("host:26656"));

    patch("{'spec':{'template':{'spec':{'image':'%s','externalAddress':null}}}}".formatted(B));

    sei("rollback", FLEET, "--to-revision=1");

    assertThat(fleet().getSpec().template().spec()).isEqualTo(spec(A));
  }

  /** Expects a problem of the fleet's node on the node alone. */
  private void assertListsEveryProblem() {
    KubectlResult problems = run("why");
    assertThat(problems.exitCode()).isEqualTo(1);
    assertThat(problems.stdout().lines())
        .singleElement()
        .asString()
        .startsWith(namespace + "/snode/fleet-1  ImagePull: container seid")
        .contains("check spec.template.spec.image of fleet fleet")
        .endsWith("  (docs/runbooks/ImagePull.md)");
  }

  @Test
  @Tag("long")
  void rollsANodeBackToTheImageItRanBefore() {
    createNode(NODE);
    awaitNode(A);
    patch(single(), "{'spec':{'image':'%s'}}".formatted(B));
    awaitNode(B);

    assertThat(sei("rollback", NODE)).contains("back to image " + A);
    awaitNode(A);
    sei("restart", NODE);
    eventually(() -> assertThat(kubelet.history(namespace, NODE + "-0")).hasSize(4));
    assertRefused(2, "there is no fleet and no node 'nothing'", "why", "nothing");

    patch(single(), "{'spec':{'upgrades':[{'name':'v9','height':9,'image':'%s'}]}}".formatted(B));
    kubelet.injectForImage(B, PodFault.IMAGE_PULL);
    kubelet.halt(namespace, NODE + "-0", "v9", 9);
    eventuallySeldom(
        () ->
            assertThat(stdout(1, "why", NODE))
                .contains("Stalled", "UpgradesReady", "docs/runbooks/SeiUpgradeImagePull.md")
                .doesNotContain("docs/runbooks/ImagePull.md"));
    kubelet.clearImage(B);
    awaitNode(B);
    assertRefused(1, "cannot go back to " + A, "rollback", NODE);
  }

  @Test
  void supportHasWhatABugReportNeedsAndNoSecretsAndThePluginCompletes() throws IOException {
    createReady(1);
    assertIsAPluginWithCompletion();
    createNode(NODE);
    awaitNode(A);
    kubelet.inject(namespace, "fleet-0-0", PodFault.NEVER_READY);
    assertThat(sei("version")).contains("kubectl-sei ", "Kubernetes    v1.");

    List<String> ofAll = supportArchive();
    List<String> ofFleet = supportArchive(FLEET);

    assertThat(ofAll).contains("versions.txt", "resources.yaml", "events.txt", "single-0.log");
    assertThat(ofFleet)
        .contains("fleet.yaml", "members.yaml", "fleet-0-0.log")
        .doesNotContain("single-0.log");
  }

  @Test
  void everyVerbWorksWithTheClusterRoleEdit() throws IOException {
    createNode(NODE);
    awaitNode(A);
    String tenant = namespace + "-tenant";
    Tenant.of(client, controlPlane.config(ControlPlane.ADMIN), namespace).close();
    bindAggregatedRoles(tenant);
    plugin = plugin.with("--as=" + tenant);

    assertThat(sei("runbook", "DiskFull", NODE)).contains("kubectl sei why single -n " + namespace);
    assertThat(sei("retry", NODE)).isEqualTo("seinode.sei.io/single retry requested\n");
    assertThat(sei("upgrades", "add", NODE, "--upgrade=v9", "--height=9", "--image=" + B))
        .isEqualTo("seinode.sei.io/single lists v9\n");
    assertThat(sei("grow", NODE, "4Ti")).isEqualTo("seinode.sei.io/single grows to 4Ti\n");
    assertRefused(1, "a volume cannot shrink to 1Ti", "grow", NODE, "1Ti");
    assertThat(sei("hold", NODE)).contains("hold requested");
    assertThat(sei("release", NODE)).contains("released");
    assertThat(sei("reset-data", NODE, "--yes")).contains("dataResetGeneration 1\n");
    assertRefused(1, "must be an image reference", "set-image", NODE, "NO:1");
    assertThat(sei("set-image", NODE, B)).isEqualTo("seinode.sei.io/single image updated\n");

    SeiNode changed = read(SeiNode.class, NODE);
    assertThat(changed.getSpec().image()).isEqualTo(B);
    assertThat(changed.getSpec().upgrades()).containsExactly(new Upgrade("v9", 9L, B, null));
    assertThat(changed.getSpec().dataResetGeneration()).isEqualTo(1);
  }

  /** Binds what the chart adds to the ClusterRoles view and edit, in the namespace only. */
  private void bindAggregatedRoles(String user) throws IOException {
    List<PolicyRule> rules;
    try (InputStream manifest = Files.newInputStream(OPERATOR)) {
      rules =
          client.load(manifest).items().stream()
              .filter(ClusterRole.class::isInstance)
              .map(ClusterRole.class::cast)
              .filter(role -> role.getMetadata().getLabels().containsKey(AGGREGATED))
              .flatMap(role -> role.getRules().stream())
              .toList();
    }
    ObjectMeta metadata =
        new ObjectMetaBuilder().withNamespace(namespace).withName("aggregated").build();
    client.resource(new RoleBuilder().withMetadata(metadata).withRules(rules).build()).create();
    client
        .resource(
            new RoleBindingBuilder()
                .withMetadata(metadata)
                .withNewRoleRef("rbac.authorization.k8s.io", "Role", "aggregated")
                .addNewSubject("rbac.authorization.k8s.io", "User", user, null)
                .build())
        .create();
    eventually(
        () ->
            assertThat(plugin.with("--as=" + user).run("pause", NODE, "--stop", "--dry-run=server"))
                .extracting(KubectlResult::exitCode)
                .isEqualTo(0));
  }

  /** The names of the files that an archive has; its content has no Secret. */
  private List<String> supportArchive(String... name) throws IOException {
    Path place = Files.createTempDirectory(directory, "support");
    List<String> arguments = Stream.concat(Stream.of("support"), Stream.of(name)).toList();
    String script =
        "cd %s && %s && tar -xzf sei-support-*.tar.gz && rm *.tar.gz && cd sei-support-* && ls && ! grep -r 'kind: Secret' ."
            .formatted(place, String.join(" ", plugin.command(arguments.toArray(String[]::new))));
    KubectlResult result = controlPlane.callingKubectl("", List.of("/bin/sh", "-c", script));
    assertThat(result.exitCode()).as("%s", result).isZero();
    return result.stdout().lines().toList();
  }

  private void assertIsAPluginWithCompletion() throws IOException {
    for (String name : List.of("kubectl-sei", "kubectl_complete-sei")) {
      Files.copy(KubectlSei.program(), directory.resolve(name), StandardCopyOption.COPY_ATTRIBUTES);
    }
    String path = directory.toString();

    assertThat(
            controlPlane.callingKubectl(path, List.of("kubectl", "sei", "status", "-n", namespace)))
        .extracting(KubectlResult::stdout)
        .asString()
        .contains("fleet-0");
    assertThat(complete("r"))
        .containsExactly(
            "revisions",
            "resume",
            "release",
            "rollback",
            "restart",
            "retry",
            "reset-data",
            "runbook",
            ":4");
    assertThat(complete("why", "-n", namespace, "sn"))
        .containsExactly("snd/fleet", "snode/fleet-0", ":4");
    assertThat(complete("help", "wa")).containsExactly("watch", "wait", ":4");
    assertThat(complete("why", "-n", namespace, "snode/")).containsExactly("snode/fleet-0", ":4");
    assertThat(complete("pause", "--")).contains("--stop", "--dry-run", "--namespace");
    assertThat(complete("restart", "-n", namespace, "snode/fleet-0", "snd/"))
        .containsExactly("snd/fleet", ":4");
    assertThat(complete("runbook", "DiskFu")).containsExactly("DiskFull", ":4");
    assertThat(complete("pause", "--dry-run", "")).containsExactly("server", "client", ":4");
    assertThat(complete("plan", "--")).doesNotContain("--stop", "--timeout", "--output");
    assertThat(complete("wait", "x", "--allow-h"))
        .containsExactly("--allow-held", "--allow-halted", ":4");
    assertThat(complete("vote", "-n", namespace, "fl")).containsExactly("fleet-0", ":4");
    assertThat(complete("revisions", "-n", namespace, "s")).containsExactly("snd/fleet", ":4");
  }

  /** The edit comes between what rollback reads and its patch. */
  private KubectlResult rollBackWhileReplicasAreEdited() {
    try (var server = new FaultyApiServer(controlPlane.config(ControlPlane.ADMIN))) {
      server.inject(
          request -> request.method().equals("PATCH"),
          request -> {
            patch("{'spec':{'replicas':1}}");
            return Optional.empty();
          });
      return plugin.through(server).run("rollback", FLEET, "--to-revision=1");
    }
  }

  private void createNode(String name) {
    client.resource(Samples.node(namespace, name, spec(A))).create();
  }

  private SeiNode single() {
    return client.resources(SeiNode.class).inNamespace(namespace).withName(NODE).get();
  }

  private void awaitNode(String image) {
    eventuallySeldom(
        () -> {
          assertThat(single().getStatus().currentImage()).isEqualTo(image);
          assertThat(single().getStatus().plan()).isNull();
          assertThat(sei("why", NODE)).contains("Nothing is wrong with it.");
        });
  }

  private void assertRefused(int exitCode, String message, String... arguments) {
    KubectlResult result = run(arguments);
    assertThat(result.exitCode()).as("%s", result).isEqualTo(exitCode);
    assertThat(result.stderr()).contains(message);
  }

  private void assertTellsOfUpgrades() {
    assertThat(sei("upgrades")).isBlank();
    assertThat(run("upgrades").stderr()).contains("no upgrade is listed or known to be planned");
    assertThat(sei("upgrades", "fleet-1"))
        .isEqualTo("snode/fleet-1\n    no upgrade is listed, and none is known to be planned\n");
    assertThat(sei("upgrades", "snd/fleet")).startsWith("snd/fleet\n    no upgrade is listed");
    assertRefused(1, "there is no fleet and no node 'nothing'", "upgrades", "nothing");
    patch(
        ("{'spec':{'template':{'spec':{'upgradesPaused':true,"
                + "'upgrades':[{'name':'v9','height':174000000,'image':'%s'}]}}}}")
            .formatted(C));
    eventuallySeldom(
        () ->
            assertThat(sei("upgrades"))
                .containsPattern("snd/fleet\n +v9 +174000000 +0/2 +" + C + "\n +UpgradesPaused: ")
                .containsPattern("snode/fleet-1\n +v9 +174000000 +Ready +" + C));
  }

  private void assertListsSnapshots() {
    patch(
        "{'spec':{'dataVolume':{'snapshots':{'schedule':'0 0 1 1"
            + " *','volumeSnapshotClassName':'c'}}}}");
    client
        .resource(
            new VolumeSnapshotBuilder(
                    TestSnapshots.of("fleet-1-202601010000", "atlantic-2", A).build())
                .editMetadata()
                .withNamespace(namespace)
                .addToLabels(SnapshotRenderer.labels(fleet()))
                .addToLabels(Map.of("sei.io/node", "fleet-1", "sei.io/height", "7"))
                .endMetadata()
                .build())
        .create();
    eventuallySeldom(
        () ->
            assertThat(sei("snapshots", FLEET))
                .containsPattern("snd/fleet, next 20..-01-01T00:00:00Z\n +SnapshotScheduled: ")
                .containsPattern("fleet-1-202601010000 +fleet-1 +atlantic-2 +7 +" + A + " "));
    assertThat(sei("snapshots")).contains("snd/fleet, next ", "fleet-1-202601010000");
    assertRefused(2, "taken of a fleet", "snapshots", "snode/fleet-1");
  }

  /** Runs the plugin, which has to succeed, and returns what it says. */
  private String sei(String... arguments) {
    return stdout(0, arguments);
  }

  private String stdout(int exitCode, String... arguments) {
    KubectlResult result = run(arguments);
    assertThat(result.exitCode()).as("%s", result).isEqualTo(exitCode);
    return result.stdout();
  }

  private KubectlResult run(String... arguments) {
    return plugin.run(arguments);
  }

  private List<String> complete(String... words) {
    var command = new ArrayList<>(List.of(directory.resolve("kubectl_complete-sei").toString()));
    command.addAll(List.of(words));
    return controlPlane.callingKubectl("", command).stdout().lines().toList();
  }
}
