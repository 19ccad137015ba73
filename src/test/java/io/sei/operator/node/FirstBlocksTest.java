package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeidRun;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.chain.ChainAnswer;
import io.sei.operator.chain.ChainHead;
import io.sei.operator.node.model.NodePass;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a node of a fleet is asked once it is Ready. */
class FirstBlocksTest {

  private static final Instant STARTED = NodeSample.NOW.minusSeconds(20);
  private static final NodeSample CHILD = running(aNode("sei:a").ofFleet("fleet"));
  private static final ResourceID NODE = new ResourceID("node", "default");

  private final Queue<Runnable> scheduled = new ArrayDeque<>();
  private final Queue<CompletableFuture<ChainAnswer>> asked = new ArrayDeque<>();
  private final List<String> woken = new ArrayList<>();

  /** Keeps what is to be done later until the test does it. */
  private final ScheduledThreadPoolExecutor scheduler =
      new ScheduledThreadPoolExecutor(0) {
        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
          scheduled.add(task);
          return null;
        }

        @Override
        public void execute(Runnable task) {
          scheduled.add(task);
        }
      };

  private final PerObjectState<ResourceID> memory =
      new PerObjectState<>(node -> woken.add(node.getName()));
  private final FirstBlocks blocks =
      new FirstBlocks(
          (rpc, chain) -> {
            var answer = new CompletableFuture<ChainAnswer>();
            asked.add(answer);
            return answer;
          },
          memory,
          scheduler);

  @Test
  void nodeIsReadyAndCaughtUpInOneWriteIfItsFirstAnswerHasCaughtUp() {
    assertThat(blocks.awaitsFirst(unsaid("run-1"))).isTrue();
    assertThat(blocks.awaitsFirst(unsaid("run-1"))).as("as long as it is not there").isTrue();
    answer(51, STARTED.plusSeconds(1));

    assertThat(woken).containsExactly("node");
    assertThat(blocks.awaitsFirst(unsaid("run-1"))).isFalse();
    assertThat(told(unsaid("run-1"))).contains(51L);
    assertThat(scheduled).as("is not asked again").isEmpty();
  }

  @Test
  void runIsAskedAgainUntilItHasCaughtUpAndOnlyItsFirstAnswerIsAwaited() {
    blocks.awaitsFirst(unsaid("run-1"));
    fail();
    assertThat(woken).containsExactly("node");
    assertThat(blocks.awaitsFirst(unsaid("run-1"))).isFalse();
    assertThat(told(said("run-1"))).isEmpty();

    fail();
    answer(51, STARTED.minusSeconds(1));
    answer(50, STARTED.plusSeconds(1));
    assertThat(woken).as("no news").hasSize(1);
    answer(51, STARTED.plusSeconds(2));

    assertThat(woken).hasSize(2);
    assertThat(told(said("run-1"))).contains(51L);
  }

  @Test
  void runIsAskedForHalfAMinuteAtMost() {
    told(said("run-1"));
    for (int times = 0; times < 30; times++) {
      fail();
    }

    assertThat(scheduled).isEmpty();
    assertThat(woken).isEmpty();
  }

  @Test
  void anotherRunIsAskedAnew() {
    told(said("run-1"));
    answer(51, STARTED.plusSeconds(1));

    assertThat(told(said("run-2"))).isEmpty();
    answer(52, STARTED.plusSeconds(2));
    assertThat(told(said("run-2"))).contains(52L);
  }

  @Test
  void anAnswerThatComesAfterTheNodeHasGoneIsNotListenedTo() {
    told(said("run-1"));
    memory.drop(NODE);
    scheduled.remove().run();

    assertThat(asked).isEmpty();
  }

  @Test
  void onlyANewRunOfAFleetsNodeIsAsked() {
    told(pass(running(aNode("sei:a")), "run-1"));
    told(CHILD.withPod().pass());
    told(pass(ready(NodeSample.NOW.minusSeconds(31)), "run-1"));

    assertThat(scheduled).isEmpty();
  }

  private Optional<Long> told(NodePass pass) {
    blocks.look(pass);
    return pass.caughtUpAt();
  }

  private void answer(long height, Instant time) {
    scheduled.remove().run();
    asked
        .remove()
        .complete(new ChainAnswer(new ChainHead("atlantic-2", height, time), Optional.empty()));
  }

  private void fail() {
    scheduled.remove().run();
    asked.remove().completeExceptionally(new IllegalStateException("is catching up"));
  }

  /** A pass of a node that is Ready, which its status does not have yet. */
  private static NodePass unsaid(String run) {
    return pass(CHILD, run);
  }

  private static NodePass said(String run) {
    return pass(ready(NodeSample.NOW), run);
  }

  private static NodePass pass(NodeSample node, String run) {
    return node.withPod(aPod(node).ready().status("seid", seid -> seid.run(run).running(STARTED)))
        .pass();
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
