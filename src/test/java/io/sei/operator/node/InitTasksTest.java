package io.sei.operator.node;

import static io.sei.operator.plan.SidecarTaskTypes.CONFIGURE_GENESIS;
import static io.sei.operator.plan.SidecarTaskTypes.CONFIGURE_STATE_SYNC;
import static io.sei.operator.plan.SidecarTaskTypes.CONFIG_APPLY;
import static io.sei.operator.plan.SidecarTaskTypes.CONFIG_VALIDATE;
import static io.sei.operator.plan.SidecarTaskTypes.SNAPSHOT_RESTORE;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.plan.TaskIds;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.SidecarHome;
import io.sei.operator.testkit.samples.Samples;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The first tasks of a new node, in each mode and from each source of its state: genesis, state
 * sync, a snapshot, or a volume that was used before.
 */
class InitTasksTest extends ConfigTestCase {

  private static final String FIRST_PEER = "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h:1";
  private static final String SECOND_PEER = "e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@i:1";

  private static final String PEERS =
      "'peers':[{'static':{'addresses':['%s','%s']}}]".formatted(FIRST_PEER, SECOND_PEER);
  private static final String DISCOVER =
      "config-apply {'incremental':true,"
          + "'overrides':{'network.p2p.persistent_peers':'%s,%s'}}"
              .formatted(FIRST_PEER, SECOND_PEER);
  private static final String STATE_SYNC =
      "configure-state-sync {'rpcServers':['h:26657','i:26657']}";
  private static final String LOCAL_SNAPSHOT =
      "configure-state-sync {'useLocalSnapshot':true,'rpcServers':['h:26657','i:26657']}";
  private static final String RESTORE = "snapshot-restore {'targetHeight':1000}";
  private static final String S3 = "'snapshot':{'s3':{'targetHeight':1000}}";
  private static final String FROM_PEERS = "'snapshot':{'stateSync':{}}";

  private static final String CHAIN = "{\"chain_id\":\"%s\"}";

  private static final String WITNESSES =
      "'peers':[{'static':{'addresses':['86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h1:26656','e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@h2:26656']}}]";
  private static final String FROM_STATE_SYNC = "'fullNode':{'snapshot':{'stateSync':{}}}";
  private static final String S3_AT = "'fullNode':{'snapshot':{'s3':{'targetHeight':%d}}}";
  private static final String MEMPOOL = "'overrides':{'mempool.size':'10'}";

  private static final String SYNCING = "'fullNode':{'snapshot':{'stateSync':{}}}," + WITNESSES;
  private static final String AND_MEMPOOL = ",'overrides':{'mempool.size':'10'}";
  private static final String RETAINED = ",'dataVolume':{'onDelete':'Retain'}";
  private static final String CLAIM = "data-node";
  private static final String BROUGHT = "brought";
  private static final String EARLIER = "earlier";
  private static final String REPLACED_FILES =
      task(
          "config-apply {'mode':'full','incremental':false,'targetVersion':0,"
              + "'overrides':{'logging.level':'info'}}");

  static Stream<Arguments> modesAndSources() {
    String full = apply("full", "");
    String validator = apply("validator", "");
    String seed = apply("seed", ",'network.p2p.listen_address':'tcp://0.0.0.0:26656'");
    String replayer =
        apply(
            "full",
            ",'storage.state_commit.async_commit_buffer':'100',"
                + "'storage.state_commit.memiavl.snapshot_keep_recent':'2',"
                + "'storage.state_commit.memiavl.snapshot_min_time_interval':'3600'");
    return Cases.of(
        2,
        row("full, genesis", "'fullNode':{}", full),
        row("full, peers", "'fullNode':{}," + PEERS, full, DISCOVER),
        row(
            "full, state sync",
            "'fullNode':{" + FROM_PEERS + "}," + PEERS,
            full,
            DISCOVER,
            STATE_SYNC),
        row(
            "full, S3",
            "'fullNode':{" + S3 + "}," + PEERS,
            RESTORE,
            full,
            DISCOVER,
            LOCAL_SNAPSHOT),
        row("archive", "'archive':{}," + PEERS, apply("archive", ""), DISCOVER),
        row(
            "replayer",
            "'replayer':{" + S3 + "}," + PEERS,
            RESTORE,
            replayer,
            DISCOVER,
            LOCAL_SNAPSHOT),
        row("seed", "'seed':{}," + PEERS, seed, DISCOVER),
        row("validator, genesis", "'validator':{}", validator),
        row(
            "validator, state sync",
            "'validator':{" + FROM_PEERS + "}," + PEERS,
            validator,
            DISCOVER,
            STATE_SYNC),
        row(
            "validator, S3",
            "'validator':{" + S3 + "}," + PEERS,
            RESTORE,
            validator,
            DISCOVER,
            LOCAL_SNAPSHOT));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("modesAndSources")
  void eachTaskIsSubmittedOnceInOrderAcrossARestart(
      String name, String mode, List<String> expected) {
    sidecarFaults().hold(SidecarTaskTypes.CONFIG_APPLY);
    create(specOf(mode));
    eventually(() -> assertThat(executions(SidecarTaskTypes.CONFIG_APPLY)).isEqualTo(1));
    TaskPlan plan = plan();

    operator.restart();
    sidecarFaults().release(SidecarTaskTypes.CONFIG_APPLY);

    awaitUpToDate(A);
    assertThat(submitted()).isEqualTo(expected);
    assertThat(submittedIds()).isEqualTo(idsOf(plan));
    submittedIds().forEach(this::assertAskedForBeforeItWasSubmitted);
    assertThat(node().getStatus().config().hash()).startsWith("c1:");
    assertThat(node().getStatus().config().appliedAt()).isNotNull();
    assertThat(node().getStatus().planHistory()).hasSize(1);
    assertThat(images()).containsExactly(A);
  }

  private static List<String> idsOf(TaskPlan plan) {
    List<PlannedTask> tasks = plan.tasks();
    return tasks.stream()
        .filter(task -> TaskTypes.isOfSidecar(task.type()))
        .map(task -> TaskIds.of(plan.id(), task.type(), tasks.indexOf(task)))
        .toList();
  }

  private void assertAskedForBeforeItWasSubmitted(String id) {
    var requests =
        sidecar.requests(namespace, NODE).stream()
            .filter(
                request ->
                    request.path().endsWith(id)
                        || (request.is("POST", "/v0/tasks") && request.body().contains(id)))
            .toList();
    assertThat(requests.get(0).method()).isEqualTo("GET");
    assertThat(requests.get(0).status()).isEqualTo(404);
    assertThat(requests).filteredOn(request -> request.method().equals("POST")).hasSize(1);
  }

  private static String apply(String mode, String more) {
    return "config-apply {'mode':'%s','incremental':false,'targetVersion':0,'overrides':{'logging.level':'info'%s}}"
        .formatted(mode, more);
  }

  private static Arguments row(String name, String mode, String... middle) {
    var steps =
        Stream.concat(
            Stream.concat(Stream.of(SidecarTaskTypes.CONFIGURE_GENESIS), Stream.of(middle)),
            Stream.of(SidecarTaskTypes.CONFIG_VALIDATE, SidecarTaskTypes.MARK_READY));
    return Arguments.of(name, mode, steps.map(ConfigTestCase::task).toList());
  }

  /** A node of a private chain, whose genesis is in a ConfigMap. */
  @Test
  void nodeBeginsWithTheGenesisOfItsChainAndGoesOnWithoutTheConfigMap() {
    putGenesis("lab-2");
    create(specOf("'fullNode':{},'genesis':{'configMap':{'name':'chain'}}"));
    awaitStalled(StallReason.GENESIS_MISMATCH);
    assertCondition(
        NodeConditionType.GENESIS_READY, ConditionStatus.FALSE, StallReason.GENESIS_MISMATCH);
    assertThat(pod()).isNull();

    putGenesis("atlantic-2");

    awaitUpToDate(A);
    awaitCondition(NodeConditionType.GENESIS_READY, ConditionStatus.TRUE, "GenesisInstalled");
    assertThat(submitted()).doesNotContain("configure-genesis").contains("config-validate");

    client.configMaps().inNamespace(namespace).withName("chain").delete();
    setImage(B);

    awaitUpToDate(B);
  }

  private void putGenesis(String chain) {
    ConfigMap genesis =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName("chain")
            .withNamespace(namespace)
            .endMetadata()
            .addToData("genesis.json", CHAIN.formatted(chain))
            .build();
    client.resource(genesis).createOr(operation -> operation.update());
  }

  /** State sync and snapshots, which a sidecar configures once in a volume's life. */
  @Tag("long")
  @Test
  void stateSyncSurvivesAPlanThatIsMadeAnew() {
    sidecarFaults().hold(CONFIG_VALIDATE);
    kubelet.inject(namespace, POD, PodFault.NEVER_READY);
    create(specOf(FROM_STATE_SYNC + "," + WITNESSES + "," + MEMPOOL));
    eventually(() -> assertThat(executions(CONFIG_VALIDATE)).isEqualTo(1));
    assertThat(home().stateSyncEnabled()).isTrue();
    int tasks = submitted().size();
    String first = plan().id();

    patch("{'spec':{'overrides':null}}");
    stays(() -> assertThat(plan().id()).isEqualTo(first));
    sidecarFaults().release(CONFIG_VALIDATE);

    awaitSubmitted(tasks, MARK_READY);
    assertThat(home().stateSyncEnabled()).isTrue();
    eventually(
        () -> assertThat(node().getStatus().config().keysLeft()).containsExactly("mempool.size"));

    kubelet.clear(namespace, POD);

    eventually(() -> assertThat(home().settings()).doesNotContainKey("mempool.size"));
    awaitUpToDate(A);
    assertThat(node().getStatus().config().keysLeft()).isNull();
    assertThat(node().getStatus().syncedAt()).isNotNull();
    assertThat(images()).as("seid starts with new files").containsExactly(A, A);
  }

  @Test
  void stateSyncWaitsForTwoWitnessesAndIsToldOfThem() {
    create(
        specOf(
            FROM_STATE_SYNC
                + ",'peers':[{'static':{'addresses':['86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h1:26656']}}]"));
    eventually(
        () ->
            assertThat(current().message())
                .isEqualTo(
                    "state sync needs 2 nodes that serve RPC, and only h1:26657 is available: add"
                        + " them to spec.peers or to the snapshot's rpcServers; nodes that a label"
                        + " selects count while they are Ready"));
    assertThat(current().reason()).isEqualTo("WitnessesMissing");
    assertThat(executions(CONFIGURE_STATE_SYNC)).isZero();

    patch("{'spec':{'fullNode':{'snapshot':{'rpcServers':['h3:26657','h4:443']}}}}");

    awaitUpToDate(A);
    assertThat(submitted())
        .contains(task("configure-state-sync {'rpcServers':['h3:26657','h4:443']}"));
  }

  @Tag("long")
  @Test
  void witnessThatIsGoneIsNotAskedAgain() {
    sidecarFaults().silence("h1").silence("h2");
    create(specOf(FROM_STATE_SYNC + "," + WITNESSES));
    eventually(() -> assertThat(current().retries()).isPositive());

    patch(
        "{'spec':{'peers':[{'static':{'addresses':['84a516841ba77a5b4648de2cd0dfcb30ea46dbb4@h3:26656','3c363836cf4e16666669a25da280a1865c2d2874@h4:26656']}}]}}");

    awaitUpToDate(A);
    assertThat(home().stateSyncEnabled()).isTrue();
  }

  @Tag("long")
  @Test
  void restartOfANodeThatHasNeverSyncedHasAnotherBlockAskedFor() {
    kubelet.inject(namespace, POD, PodFault.NEVER_READY);
    create(specOf(FROM_STATE_SYNC + "," + WITNESSES));
    eventually(() -> assertThat(node().getStatus().phase()).isEqualTo(NodePhase.RUNNING));
    int tasks = submitted().size();

    patch("{'spec':{'fullNode':{'snapshot':{'trustPeriod':'100h'}}}}");
    annotate(Annotations.RESTART_REQUESTED_AT, "now");

    awaitSubmitted(tasks, MARK_READY);
    assertThat(submittedAfter(tasks))
        .extracting(task -> task.replaceFirst(" .*", ""))
        .containsExactly(
            CONFIG_APPLY, CONFIG_APPLY, CONFIGURE_STATE_SYNC, CONFIG_VALIDATE, MARK_READY);
    assertThat(home().setting("config.toml", "statesync.trust-period")).contains("100h");
    assertThat(home().stateSyncEnabled()).isTrue();

    kubelet.clear(namespace, POD);
    eventually(() -> assertThat(node().getStatus().syncedAt()).isNotNull());
    int synced = submitted().size();
    annotate(Annotations.RESTART_REQUESTED_AT, "later");

    eventually(() -> assertThat(submittedAfter(synced)).containsExactly(MARK_READY));
  }

  @Tag("long")
  @Test
  void volumeThatWasRestoredIsNotTakenForOneOfAnotherHeight() {
    sidecarFaults().hold(CONFIG_VALIDATE);
    create(specOf(S3_AT.formatted(1000) + "," + WITNESSES));
    eventually(() -> assertThat(executions(CONFIG_VALIDATE)).isEqualTo(1));

    patch("{'spec':{" + S3_AT.formatted(2000) + "}}");
    patch("{'spec':{" + MEMPOOL + "}}");
    sidecarFaults().release(CONFIG_VALIDATE);

    eventually(() -> assertThat(node().getStatus().phase()).isEqualTo(NodePhase.FAILED));
    assertThat(plan().failedTaskDetail().error())
        .isEqualTo(
            "claim data-node was already restored at height 1000, and a volume is restored only"
                + " once: set snapshot.s3.targetHeight back to 1000, or empty the volume: raise"
                + " spec.dataResetGeneration");
    assertThat(executions(SNAPSHOT_RESTORE)).isEqualTo(1);

    patch("{'spec':{" + S3_AT.formatted(1000) + "}}");
    awaitUpToDate(A);
  }

  @Tag("long")
  @Test
  void bucketThatIsMissingIsToldBeforeAPodStarts() {
    operator.stop();
    operator.with("SEI_SNAPSHOT_BUCKET", "").start();
    create(specOf(S3_AT.formatted(1000) + "," + WITNESSES));
    eventually(
        () ->
            assertThat(condition(NodeConditionType.READY).message())
                .isEqualTo(
                    "spec.fullNode.snapshot.s3: no bucket to restore from is configured: set"
                        + " the operator's SEI_SNAPSHOT_BUCKET and SEI_SNAPSHOT_REGION"));
    assertCondition(NodeConditionType.READY, ConditionStatus.FALSE, StallReason.INVALID_SPEC);
    assertThat(pod()).isNull();

    operator.stop();
    operator.with("SEI_SNAPSHOT_BUCKET", "snapshots").start();

    awaitUpToDate(A);
  }

  private SidecarHome home() {
    return sidecar.home(namespace, NODE);
  }

  private PlannedTask current() {
    return plan().currentTask().orElseThrow();
  }

  private void awaitSubmitted(int before, String type) {
    eventually(() -> assertThat(submittedAfter(before)).contains(type));
    List<String> after = submittedAfter(before);
    assertThat(after.stream().filter(task -> task.startsWith(CONFIG_APPLY)))
        .isNotEmpty()
        .allMatch(task -> task.contains("\"incremental\":true"));
  }

  /** The work of a sidecar is on the volume, and counts for whichever node has that volume. */
  @Tag("long")
  @Test
  void nodeThatIsMadeAgainOnANewVolumeIsBootstrappedInFull() {
    create(specOf(SYNCING + AND_MEMPOOL));
    awaitUpToDate(A);
    delete(NODE);
    eventually(() -> assertThat(read(PersistentVolumeClaim.class, CLAIM)).isNull());
    int tasks = submitted().size();

    create(specOf(SYNCING));

    awaitUpToDate(A);
    assertThat(types(tasks))
        .containsExactly(
            CONFIGURE_GENESIS,
            CONFIG_APPLY,
            CONFIG_APPLY,
            CONFIGURE_STATE_SYNC,
            CONFIG_VALIDATE,
            MARK_READY);
    assertThat(home().stateSyncEnabled()).isTrue();
    assertThat(home().settings()).doesNotContainKey("mempool.size");
  }

  @Tag("long")
  @Test
  void nodeThatIsMadeAgainFindsWhatWasDoneOnItsRetainedVolume() {
    kubelet.inject(namespace, POD, PodFault.NEVER_READY);
    create(specOf(SYNCING + RETAINED));
    eventually(() -> assertThat(markReadyRuns()).isEqualTo(1));
    SidecarHome before = home();
    assertThat(before.stateSyncEnabled()).isTrue();
    delete(NODE);
    awaitLaterSecondThan(read(PersistentVolumeClaim.class, CLAIM));

    create(specOf(SYNCING + RETAINED));

    eventually(() -> assertThat(markReadyRuns()).isEqualTo(2));
    assertThat(home()).isEqualTo(before);
  }

  @Tag("long")
  @Test
  void unusedImportedVolumeIsConfiguredInFull() {
    createClaim(BROUGHT);

    create(specOf(SYNCING + importing(BROUGHT)));

    awaitUpToDate(A);
    assertThat(submitted()).contains(REPLACED_FILES);
    assertThat(home().stateSyncEnabled()).isTrue();
  }

  @Test
  @Tag("long")
  void importedHomeOfANodeThatPlayedTheChainIsConfiguredInFull() {
    leave(EARLIER, "'fullNode':{}" + AND_MEMPOOL);

    create(specOf(SYNCING + importing("data-" + EARLIER)));

    awaitUpToDate(A);
    assertThat(submitted()).contains(REPLACED_FILES);
    assertThat(home().settings()).doesNotContainKey("mempool.size");
    assertThat(home().stateSyncEnabled()).isTrue();
  }

  @Test
  void importedHomeKeepsItsStateSyncAndIsConfiguredInFullOnceTheNodeHasSynced() {
    leave(EARLIER, SYNCING + AND_MEMPOOL);
    kubelet.inject(namespace, POD, PodFault.NEVER_READY);

    create(specOf(SYNCING + importing("data-" + EARLIER)));

    eventually(() -> assertThat(markReadyRuns()).isEqualTo(1));
    assertThat(submitted()).doesNotContain(REPLACED_FILES);
    assertThat(home().stateSyncEnabled()).isTrue();
    eventually(() -> assertThat(node().getStatus().config().inherited()).isTrue());

    kubelet.clear(namespace, POD);

    eventually(() -> assertThat(submitted()).contains(REPLACED_FILES));
    awaitUpToDate(A);
    assertThat(home().settings()).doesNotContainKey("mempool.size");
    assertThat(node().getStatus().config().inherited()).isNull();
    assertThat(images()).containsExactly(A);
  }

  /** Has another node use a volume, and go without it before seid was ever Ready. */
  private void leave(String name, String fields) {
    kubelet.inject(namespace, name + "-0", PodFault.NEVER_READY);
    client.resource(Samples.node(namespace, name, specOf(fields + RETAINED))).create();
    eventually(() -> assertThat(sidecar.executions(namespace, name, MARK_READY)).isEqualTo(1));
    delete(name);
  }

  private void delete(String name) {
    client.resource(read(SeiNode.class, name)).delete();
    eventually(
        () -> {
          assertThat(read(SeiNode.class, name)).isNull();
          assertThat(read(StatefulSet.class, name)).isNull();
          assertThat(read(Pod.class, name + "-0")).isNull();
        });
  }

  /** The API server's times are whole seconds: in the same second neither object is older. */
  private void awaitLaterSecondThan(PersistentVolumeClaim claim) {
    Instant created = Instant.parse(claim.getMetadata().getCreationTimestamp());
    eventually(() -> assertThat(Instant.now()).isAfterOrEqualTo(created.plusSeconds(1)));
  }

  private static String importing(String claim) {
    return ",'dataVolume':{'import':{'pvcName':'%s'}}".formatted(claim);
  }

  private List<String> types(int after) {
    return submittedAfter(after).stream().map(task -> task.split(" ")[0]).toList();
  }
}
