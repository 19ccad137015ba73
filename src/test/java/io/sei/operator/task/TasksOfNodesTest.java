package io.sei.operator.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeTaskPayload.AwaitAction;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.AwaitCondition;
import io.sei.operator.api.v1alpha1.NodeTaskPhase;
import io.sei.operator.api.v1alpha1.NodeTaskSubmission;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiNodeTaskStatus;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.samples.Samples;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decides from when on a node counts as going down for a task. */
class TasksOfNodesTest {

  private static final Instant NOW = Instant.parse("2026-11-26T09:00:00Z");
  private static final SeiNode NODE = Samples.node("ns", "node", Samples.fullNode("sei:a"));

  @ParameterizedTest(name = "at {0} of 1000: {1}")
  @CsvSource({"1, false", "699, false", "700, true", "1000, true", "1001, true", ", true"})
  void aNodeCountsFrom300BlocksBeforeTheHeightOn(Long height, boolean counts) {
    OptionalLong at = height == null ? OptionalLong.empty() : OptionalLong.of(height);

    assertThat(TasksOfNodes.isSeidEndNear(Stream.of(submitted("node")), at)).isEqualTo(counts);
  }

  @Test
  void onlyATaskThatWasSubmittedAndIsNotFinishedCounts() {
    SeiNodeTask unseen = task("node", AwaitAction.SIGTERM_SEID);
    SeiNodeTask waiting = task("node", AwaitAction.SIGTERM_SEID);
    waiting.setStatus(SeiNodeTaskStatus.empty());
    SeiNodeTask done = submitted("node");
    done.setStatus(done.getStatus().in(NodeTaskPhase.COMPLETE, NOW));
    SeiNodeTask harmless = task("node", null);
    harmless.setStatus(submitted("node").getStatus());

    assertThat(
            TasksOfNodes.isSeidEndNear(
                Stream.of(unseen, waiting, done, harmless), OptionalLong.of(1000)))
        .isFalse();
  }

  @Test
  void tasksThatTakeANodeDownAreFoundByIt() {
    assertThat(TasksOfNodes.keys(task("node", AwaitAction.SIGTERM_SEID))).containsOnly("ns/node");
    assertThat(TasksOfNodes.keys(Tasks.restart("ns", "restart", "node"))).containsOnly("ns/node");
    assertThat(TasksOfNodes.keys(task("node", null))).isEmpty();
    assertThat(TasksOfNodes.keys(Tasks.vote("ns", "vote", "node"))).isEmpty();
    assertThat(TasksOfNodes.keys(Tasks.task("ns", "unreadable", null))).isEmpty();
  }

  /** The operator knows no task, and no deletion, before the controller of tasks is started. */
  @Test
  void withoutACacheNoNodeCountsAndNoRequestIsGrantedOrAbandoned() {
    var tasks = new TasksOfNodes(node -> OptionalLong.empty());

    assertThat(tasks.isSeidEndNear(NODE)).isFalse();
    assertThat(tasks.hasAbandonedRestart(NODE)).isFalse();
    assertThat(tasks.requestsRestart(NODE)).isFalse();
  }

  @Test
  void aRequestOfATaskThatHasEndedOrWasDeletedIsAbandoned() {
    SeiNodeTask restart = Tasks.restart("ns", "restart", "node");
    SeiNode node = Samples.node("ns", "node", Samples.fullNode("sei:a"));
    node.getMetadata()
        .setAnnotations(Map.of(Annotations.SEID_RESTART_REQUESTED, TaskRules.id(restart)));
    SeiNodeTask ending = task("node", AwaitAction.SIGTERM_SEID);

    assertThat(TasksOfNodes.requestsRestart(Stream.of(ending, restart), node)).isTrue();
    assertThat(TasksOfNodes.requestsRestart(Stream.of(ending), node)).isFalse();
    restart.setStatus(SeiNodeTaskStatus.empty().in(NodeTaskPhase.FAILED, NOW));
    assertThat(TasksOfNodes.requestsRestart(Stream.of(restart), node)).isFalse();
  }

  private static SeiNodeTask submitted(String node) {
    SeiNodeTask task = task(node, AwaitAction.SIGTERM_SEID);
    task.setStatus(
        SeiNodeTaskStatus.empty()
            .withTask(new NodeTaskSubmission("id", null, null, null, null, "u", "c", 0L)));
    return task;
  }

  private static SeiNodeTask task(String node, AwaitAction action) {
    var await = new AwaitCondition(new AwaitCondition.Height(1000L), action);
    return Tasks.task(
        "ns", "task", Tasks.await("ns", "task", node).getSpec().withAwaitCondition(await));
  }
}
