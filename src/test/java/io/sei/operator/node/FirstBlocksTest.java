package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeidRun;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.chain.ChainAnswer;
import io.sei.operator.chain.ChainHead;
import io.sei.operator.node.model.NodePass;
import io.sei.operator.render.Labels;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
  void isReadyAndCaughtUpInOneWriteWhereItsFirstAnswerSaysSo() {
    assertThat(blocks.awaitsFirst(unsaid("run-1"))).isTrue();
    assertThat(blocks.awaitsFirst(unsaid("run-1"))).as("as long as it is not there").isTrue();
    answer(51, STARTED.plusSeconds(1));

    assertThat(woken).containsExactly("node");
    assertThat(blocks.awaitsFirst(unsaid("run-1"))).isFalse();
    assertThat(told(unsaid("run-1"))).contains(51L);
    assertThat(scheduled).as("is not asked again").isEmpty();
  }

  @Test
  void isAskedAgainUntilItSaysSoAndWaitsForNoMoreThanTheFirstAnswer() {
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
  void isNotAskedForMoreThanHalfAMinute() {
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
  void nobodyElseIsAsked() {
    told(reconcile(aNode("sei:a").build(), pod("run-1"), status()));
    told(reconcile(ofFleet(), aPod(aNode("sei:a")).build(), status()));
    told(reconcile(ofFleet(), pod("run-1"), ready(NodeSample.NOW.minusSeconds(31))));

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

  /** It is Ready, which its status does not say yet. */
  private static NodePass unsaid(String run) {
    return reconcile(ofFleet(), pod(run), status());
  }

  private static NodePass said(String run) {
    return reconcile(ofFleet(), pod(run), ready(NodeSample.NOW));
  }

  private static NodePass reconcile(SeiNode node, Pod pod, SeiNodeStatus status) {
    return aNode(node).status(status).withPod(pod).sidecar(SidecarHealth.READY).pass();
  }

  private static SeiNode ofFleet() {
    SeiNode node = aNode("sei:a").build();
    node.getMetadata().setLabels(Map.of(Labels.NODE_DEPLOYMENT, "fleet"));
    return node;
  }

  /** It had block 50 before. */
  private static SeiNodeStatus status() {
    return aNode("sei:a").running().status().withSeid(SeidRun.nothing().withHeight(50L));
  }

  private static SeiNodeStatus ready(Instant since) {
    return status()
        .withConditions(
            Conditions.with(
                List.of(),
                NodeConditionType.READY,
                ConditionStatus.TRUE,
                NodeReason.POD_READY,
                "the pod is Ready",
                7L,
                since));
  }

  private static Pod pod(String run) {
    return aPod(aNode("sei:a")).ready().status("seid", it -> it.run(run).running(STARTED)).build();
  }
}
