package io.sei.operator.node.sync;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.chain.SyncState;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.node.feature.Rank;
import io.sei.operator.node.status.NodeStatus;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.ManualExecutor;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A node that is not Ready for twenty minutes by now, as its peers are far ahead. */
class CatchingUpTest {

  private static final String A = "sei:a";
  private static final Instant UNREADY = NOW.minus(Duration.ofMinutes(20));

  /** A node that was Ready an hour before it ceased to be. */
  private static final NodeSample SYNCED =
      aNode(A)
          .running()
          .condition(NodeConditionType.STALLED, false, "NotStalled", UNREADY)
          .condition(NodeConditionType.READY, false, "PodNotReady", UNREADY)
          .condition(NodeConditionType.UP_TO_DATE, true, "UpToDate", UNREADY)
          .status(
              status ->
                  status.with(
                      draft ->
                          draft
                              .syncedAt(UNREADY.minusSeconds(3600))
                              .unreadySince(UNREADY)
                              .readySince(null)
                              .unpausedSince(UNREADY)))
          .withPod(
              aPod(aNode(A))
                  .address("10.0.0.9")
                  .status("seid", seid -> seid.run("run-1").running(UNREADY)))
          .sidecar(SidecarHealth.READY);

  private final SyncPoller poller =
      new SyncPoller(
          (rpc, chain) -> CompletableFuture.completedFuture(behind()),
          Clock.fixed(NOW, ZoneOffset.UTC),
          ManualExecutor.<ResourceID>eager(NOW).polling(new PerObjectState<>()));

  private final CaughtUp feature = new CaughtUp(poller);

  @Test
  void fetchingBlocksIsProgress() {
    NodePass pass = pass(SYNCED, NOW);

    assertThat(pass.deadlineSuspension()).isPresent();
    assertThat(pass.offered(Rank.Ready.POD_NOT_READY).map(ConditionProposal::reason))
        .contains(NodeReason.CATCHING_UP);
    assertThat(stalled(SYNCED, NOW)).isEqualTo("False/Progressing");
  }

  @Test
  void heightThatStandsStillIsNone() {
    Instant later = NOW.plus(HeightRecord.LONG);
    pass(SYNCED, NOW);

    assertThat(pass(SYNCED, later).deadlineSuspension()).isEmpty();
    assertThat(stalled(SYNCED, later)).isEqualTo("True/" + StallReason.UNKNOWN);
  }

  @Test
  void nodeThatWasNeverReadyHasItsDeadline() {
    NodePass pass = pass(SYNCED.status(status -> status.withSyncedAt(null)), NOW);

    assertThat(pass.deadlineSuspension()).isEmpty();
  }

  @Test
  void planHasADeadlineOfItsOwn() {
    var update = aPlan(PlanKind.UPDATE, A, "observe-image").build();

    assertThat(pass(SYNCED.plan(update), NOW).deadlineSuspension()).isEmpty();
  }

  private NodePass pass(NodeSample node, Instant now) {
    NodePass pass = node.now(now).pass();
    feature.record(pass);
    return pass;
  }

  /** Status and reason of the condition Stalled, with no other feature. */
  private String stalled(NodeSample node, Instant now) {
    NodePass pass = pass(node, now);
    var conditions = new ConditionParts();
    feature.conditions(conditions);
    NodeStatus.derive(
        pass, Optional.empty(), new ProgressDeadline(Duration.ofMinutes(10)), conditions);
    return Conditions.find(pass.draft().conditions(), NodeConditionType.STALLED)
        .map(condition -> condition.status() + "/" + condition.reason())
        .orElseThrow();
  }

  private static SyncState behind() {
    return new SyncState(
        "atlantic-2",
        900,
        NOW.minusSeconds(9999),
        true,
        Optional.of(9000L),
        Optional.of(12),
        Optional.empty());
  }
}
