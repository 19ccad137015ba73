package io.sei.operator.node;

import static io.sei.operator.plan.SidecarTaskTypes.CONFIGURE_STATE_SYNC;
import static io.sei.operator.plan.SidecarTaskTypes.CONFIG_APPLY;
import static io.sei.operator.plan.SidecarTaskTypes.CONFIG_VALIDATE;
import static io.sei.operator.plan.SidecarTaskTypes.SNAPSHOT_RESTORE;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.SidecarHome;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** State sync and snapshots, which a sidecar configures once in a volume's life. */
class StateSyncPlanTest extends ConfigTestCase {

  private static final String PEERS =
      "'peers':[{'static':{'addresses':['86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h1:26656','e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@h2:26656']}}]";
  private static final String STATE_SYNC = "'fullNode':{'snapshot':{'stateSync':{}}}";
  private static final String S3 = "'fullNode':{'snapshot':{'s3':{'targetHeight':%d}}}";
  private static final String MEMPOOL = "'overrides':{'mempool.size':'10'}";

  @Tag("long")
  @Test
  void stateSyncSurvivesAPlanThatIsMadeAnew() {
    sidecarFaults().hold(CONFIG_VALIDATE);
    kubelet.inject(namespace, POD, PodFault.NEVER_READY);
    create(specOf(STATE_SYNC + "," + PEERS + "," + MEMPOOL));
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
    assertThat(images()).as("seid starts with the files written anew").containsExactly(A, A);
  }

  @Test
  void stateSyncWaitsForTwoWitnessesAndIsToldOfThem() {
    create(
        specOf(
            STATE_SYNC
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
    create(specOf(STATE_SYNC + "," + PEERS));
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
    create(specOf(STATE_SYNC + "," + PEERS));
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
    create(specOf(S3.formatted(1000) + "," + PEERS));
    eventually(() -> assertThat(executions(CONFIG_VALIDATE)).isEqualTo(1));

    patch("{'spec':{" + S3.formatted(2000) + "}}");
    patch("{'spec':{" + MEMPOOL + "}}");
    sidecarFaults().release(CONFIG_VALIDATE);

    eventually(() -> assertThat(node().getStatus().phase()).isEqualTo(NodePhase.FAILED));
    assertThat(plan().failedTaskDetail().error())
        .isEqualTo(
            "claim data-node was already restored at height 1000, and a volume is restored only"
                + " once: set snapshot.s3.targetHeight back to 1000, or empty the volume: raise"
                + " spec.dataResetGeneration");
    assertThat(executions(SNAPSHOT_RESTORE)).isEqualTo(1);

    patch("{'spec':{" + S3.formatted(1000) + "}}");
    awaitUpToDate(A);
  }

  @Tag("long")
  @Test
  void bucketThatIsMissingIsToldBeforeAPodStarts() {
    operator.stop();
    operator.with("SEI_SNAPSHOT_BUCKET", "").start();
    create(specOf(S3.formatted(1000) + "," + PEERS));
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
}
