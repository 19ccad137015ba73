package io.sei.operator.node.sync;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeidRun;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.chain.ChainClient;
import io.sei.operator.chain.NodeRpc;
import io.sei.operator.chain.SyncState;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.ManualExecutor;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Polls a node for its first block once it is Ready, and for the key of its signer. */
class SyncPollerTest {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Instant STARTED = NOW.minusSeconds(20);
  private static final NodeSample CHILD = running(aNode("sei:a").ofFleet("fleet"));
  private static final ResourceID NODE = new ResourceID("node", "default");

  private final ManualExecutor<ResourceID> executor = ManualExecutor.lazy(NOW);
  private final Queue<CompletableFuture<SyncState>> asked = new ArrayDeque<>();
  private final List<String> woken = new ArrayList<>();
  private final PerObjectState<ResourceID> memory =
      new PerObjectState<>(node -> woken.add(node.getName()));
  private final SyncPoller poller =
      new SyncPoller(this::ask, executor.clock(), executor.polling(memory));

  @Test
  void nodeIsReadyAndCaughtUpInOneWriteIfItsFirstAnswerHasCaughtUp() {
    assertThat(poller.awaitsFirstAnswer(unsaid("run-1"))).isPositive();
    assertThat(poller.awaitsFirstAnswer(unsaid("run-1")))
        .as("as long as it is not there")
        .isPositive();
    answer(51, STARTED.plusSeconds(1));

    assertThat(woken).containsExactly("node");
    assertThat(poller.awaitsFirstAnswer(unsaid("run-1"))).isZero();
    assertThat(poller.firstBlock(unsaid("run-1"))).contains(51L);

    executor.advance(SyncPoller.SOON);
    assertThat(asked).as("is not polled for it any longer").isEmpty();
  }

  @Test
  void queuedFirstAnswerIsAwaitedForNoLongerThanOneThatIsAskedAtOnce() {
    assertThat(poller.awaitsFirstAnswer(unsaid("run-1"))).isEqualTo(ChainClient.LIMIT);
    executor.advance(SECOND);
    assertThat(poller.awaitsFirstAnswer(unsaid("run-1"))).isEqualTo(SECOND);

    executor.advance(SECOND);

    assertThat(poller.awaitsFirstAnswer(unsaid("run-1"))).isZero();
  }

  @Test
  void answerOfAnEarlierRunIsNotRecordedForTheNext() {
    poller.observe(said("run-1"));
    executor.run();
    executor.onNextInstant(() -> poller.signingKey(said("run-2")));
    asked.remove().complete(signedBy("key"));

    assertThat(poller.signingKey(said("run-2"))).isEmpty();
    assertThat(poller.observe(said("run-2")).last()).isEmpty();
  }

  @Test
  void nodeIsPolledUntilItHasItsFirstBlockAndWaitsForNoMoreThanTheFirstAnswer() {
    poller.awaitsFirstAnswer(unsaid("run-1"));
    fail();
    assertThat(woken).containsExactly("node");
    assertThat(poller.awaitsFirstAnswer(unsaid("run-1"))).isZero();
    assertThat(poller.firstBlock(said("run-1"))).isEmpty();

    fail();
    answer(51, STARTED.minusSeconds(1));
    woken.clear();
    answer(50, STARTED.plusSeconds(1));
    assertThat(woken).as("no news").isEmpty();
    answer(51, STARTED.plusSeconds(2));

    assertThat(woken).hasSize(1);
    assertThat(poller.firstBlock(said("run-1"))).contains(51L);
  }

  @Test
  void firstBlockIsWaitedForHalfAMinuteAtMost() {
    poller.observe(said("run-1"));
    for (int second = 0; second < 30; second++) {
      fail();
    }
    fail();
    executor.advance(SyncPoller.CALM);
    asked.forEach(answer -> answer.complete(at(51, STARTED.plusSeconds(1))));

    assertThat(poller.firstBlock(said("run-1"))).isEmpty();
  }

  @Test
  void anotherRunIsPolledAnew() {
    poller.observe(said("run-1"));
    answer(51, STARTED.plusSeconds(1));

    assertThat(poller.firstBlock(said("run-2"))).isEmpty();
    answer(52, STARTED.plusSeconds(2));
    assertThat(poller.firstBlock(said("run-2"))).contains(52L);
  }

  /** seid may restart in its pod between two reconciles: the condition Ready never moves. */
  @Test
  void firstBlockOfARunIsAwaitedThoughTheNodeHasBeenReadyForLong() {
    NodeSample ready = readyWith("run-1");

    assertThat(poller.awaitsFirstAnswer(view(ready, "run-2"))).isPositive();
    answer(51, STARTED.plusSeconds(1));

    assertThat(poller.firstBlock(view(ready, "run-2"))).contains(51L);
  }

  @Test
  void firstBlockOfARunThatHasBeenReadyForLongIsNotAwaited() {
    NodeSample ready = readyWith("run-1");

    assertThat(poller.awaitsFirstAnswer(view(ready, "run-1"))).isZero();
    answer(51, STARTED.plusSeconds(1));

    assertThat(poller.firstBlock(view(ready, "run-1"))).isEmpty();
  }

  /** A node whose run of seid has been Ready for an hour, at block 50. */
  private static NodeSample readyWith(String run) {
    Instant since = NOW.minusSeconds(3600);
    return ready(since)
        .status(
            status ->
                status.withSeid(
                    SeidRun.nothing()
                        .with(seid -> seid.containerID(run).readyAt(since).height(50L))));
  }

  @Test
  void nodeThatHasCaughtUpIsPolledOnceAMinuteAndOneThatIsBehindTwice() {
    poller.observe(said("run-1"));
    answer(51, STARTED.plusSeconds(1));
    assertPause(SyncPoller.CALM);

    executor.advance(Duration.ofMinutes(2));
    asked
        .remove()
        .complete(
            new SyncState(
                "atlantic-2", 52, NOW, true, Optional.of(900L), Optional.of(3), Optional.empty()));
    assertPause(SyncPoller.BEHIND);
  }

  /** A poll is up to a tenth earlier than demanded. */
  private void assertPause(Duration period) {
    assertThat(executor.runNext()).isBetween(period.multipliedBy(9).dividedBy(10), period);
  }

  @Test
  void deletedNodeIsNotPolled() {
    poller.observe(said("run-1"));
    memory.drop(NODE);
    executor.advance(SyncPoller.CALM);

    assertThat(asked).isEmpty();
  }

  @Test
  void onlyReadyNodesOfAFleetArePolledForTheirFirstBlock() {
    Instant earlier = NOW.minusSeconds(31);
    List<NodeView> views =
        List.of(
            view(running(aNode("sei:a")), "run-1"),
            CHILD
                .withPod(aPod(CHILD).status("seid", seid -> seid.run("run-1").running(STARTED)))
                .view(),
            view(ready(earlier), "run-1"));
    for (NodeView view : views) {
      memory.drop(NODE);
      assertThat(poller.awaitsFirstAnswer(view)).isZero();
      answer(51, STARTED.plusSeconds(1));
      assertThat(poller.firstBlock(view)).isEmpty();
    }
  }

  @Test
  void keyOfTheSignerReconcilesTheNodeThatComparesIt() {
    assertThat(poller.signingKey(said("run-1"))).isEmpty();
    answer(51, STARTED.plusSeconds(1));
    woken.clear();
    executor.advance(SyncPoller.CALM);
    asked.remove().complete(signedBy("key"));

    assertThat(woken).containsExactly("node");
    assertThat(poller.signingKey(said("run-1"))).contains("key");
    executor.advance(SyncPoller.CALM);
    asked.remove().complete(signedBy("key"));
    assertThat(woken).as("no news").hasSize(1);
  }

  private static SyncState signedBy(String key) {
    return new SyncState(
        "atlantic-2", 51, NOW, false, Optional.of(51L), Optional.of(3), Optional.of(key));
  }

  private CompletableFuture<SyncState> ask(NodeRpc rpc, String chain) {
    var answer = new CompletableFuture<SyncState>();
    asked.add(answer);
    return answer;
  }

  private void answer(long height, Instant time) {
    next().complete(at(height, time));
  }

  private void fail() {
    next().completeExceptionally(new IllegalStateException("does not answer"));
  }

  /** The next poll for a first block. */
  private CompletableFuture<SyncState> next() {
    executor.run();
    if (asked.isEmpty()) {
      executor.advance(SECOND);
    }
    return asked.remove();
  }

  private static SyncState at(long height, Instant time) {
    return new SyncState(
        "atlantic-2", height, time, false, Optional.of(height), Optional.of(3), Optional.empty());
  }

  /** A node that is Ready, which its status does not have yet. */
  private static NodeView unsaid(String run) {
    return view(CHILD, run);
  }

  private static NodeView said(String run) {
    return view(ready(NOW), run);
  }

  private static NodeView view(NodeSample node, String run) {
    return node.withPod(aPod(node).ready().status("seid", seid -> seid.run(run).running(STARTED)))
        .view();
  }

  private static NodeSample ready(Instant since) {
    return CHILD.condition(NodeConditionType.READY, true, "PodReady", since);
  }

  /** A node whose earlier run of seid reached block 50. */
  private static NodeSample running(NodeSample node) {
    return node.running()
        .status(status -> status.withSeid(SeidRun.nothing().withHeight(50L)))
        .sidecar(SidecarHealth.READY);
  }
}
