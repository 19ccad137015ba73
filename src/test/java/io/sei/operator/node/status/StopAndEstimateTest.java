package io.sei.operator.node.status;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeStop;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeidRun;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.chain.ChainAnswer;
import io.sei.operator.chain.ChainHead;
import io.sei.operator.chain.ChainState;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.feature.EffectiveNode;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Fields of a node that its fleet reads before and while it stops the node. */
class StopAndEstimateTest {

  private static final Instant UNTIL = NodeSample.NOW.plus(Duration.ofMinutes(10));

  @ParameterizedTest(name = "{0} blocks ahead")
  @CsvSource({
    // One block a second.
    "60, 2026-06-01T10:01:00Z",
    "3600, 2026-06-01T11:00:00Z",
    "3700,",
  })
  void timeOfAnUpgradeIsRecordedInTheLastHour(long ahead, Instant expected) {
    ChainState chain =
        ChainState.of(head(900, NodeSample.NOW.minusSeconds(100)))
            .heard(head(1000, NodeSample.NOW), false);

    NodeSample node = aNode("1").upgrades(new Upgrade("v2", 1000 + ahead, "2", null));

    SeiNodeStatus status = recorded(node.chain(chain).view());

    assertThat(status.upgrades()).extracting(UpgradeStatus::expectedAt).containsExactly(expected);
  }

  @Test
  void heightIsTheOneThatTheNodeHadBeforeItStopped() {
    NodeView first = stopping().withHeight(Optional.of(7L));

    SeiNodeStatus status = recorded(first);
    SeiNodeStatus later = recorded(first.withStored(status).withHeight(Optional.empty()));

    assertThat(status.stopped()).isEqualTo(new NodeStop("snapshot", UNTIL, 7L));
    assertThat(later.stopped()).isEqualTo(status.stopped());
    assertThat(recorded(first.withStored(status).withNow(UNTIL)).stopped()).isNull();
  }

  @Test
  void nodeThatDoesNotAnswerBeforeItsStopHasAtLeastTheHeightOfItsLastRun() {
    NodeView silent = stopping();
    SeiNodeStatus caughtUp = silent.stored().withSeid(SeidRun.nothing().withHeight(5L));

    assertThat(recorded(silent.withStored(caughtUp)).stopped())
        .isEqualTo(new NodeStop("snapshot", UNTIL, 5L));
    assertThat(recorded(silent).stopped()).isEqualTo(new NodeStop("snapshot", UNTIL, null));
  }

  private static NodeView stopping() {
    NodeSample node =
        aNode("1")
            .annotation(Annotations.STOPPED_UNTIL, UNTIL.toString())
            .annotation(Annotations.STOPPED_FOR, "snapshot");
    return node.view()
        .withEffective(
            EffectiveNode.of(
                node.build(),
                Optional.empty(),
                Optional.empty(),
                NodeSample.NOW,
                OfflineNode.FEATURES));
  }

  private static SeiNodeStatus recorded(NodeView view) {
    var reconcile = new NodePass(view);
    NodeStatus.record(reconcile, OfflineNode.CONDITIONS);
    return reconcile.draft();
  }

  private static ChainAnswer head(long height, Instant at) {
    return new ChainAnswer(new ChainHead("atlantic-2", height, at), Optional.empty());
  }
}
