package io.sei.operator.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.plan.TaskOutcome.Fail;
import io.sei.operator.plan.TaskOutcome.Retry;
import io.sei.operator.plan.TaskOutcome.Rewind;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PlanEngineTest {

  private static final Instant START = Instant.parse("2026-06-01T10:00:00Z");
  private static final Duration RECHECK = Duration.ofSeconds(7);
  private static final TaskOutcome DONE = TaskOutcome.done();
  private static final TaskOutcome WAIT =
      TaskOutcome.waitFor(TaskReason.SIDECAR_BUSY, "because", RECHECK);

  private final List<String> ran = new ArrayList<>();
  private Instant now = START;

  @Test
  void doneTasksRunInOneStep() {
    PlanEngine.Step step = step(plan(0), Map.of("a", List.of(DONE), "b", List.of(DONE)));

    assertThat(ran).containsExactly("a", "b");
    assertThat(step.plan().phase()).isEqualTo(PlanPhase.COMPLETE);
    assertThat(step.plan().finishedAt()).isEqualTo(START);
    assertThat(step.recheck()).isEmpty();
  }

  @Test
  void stepEndsAtTheFirstTaskThatWaits() {
    PlanEngine.Step step = step(plan(0), Map.of("a", List.of(WAIT), "b", List.of(DONE)));

    PlannedTask waiting = step.plan().tasks().get(0);
    assertThat(ran).containsExactly("a");
    assertThat(step.plan().isActive()).isTrue();
    assertThat(waiting.status()).isEqualTo(TaskStatus.PENDING);
    assertThat(waiting.reason()).isEqualTo("SidecarBusy");
    assertThat(waiting.startedAt()).isEqualTo(START);
    assertThat(waiting.submittedAt()).isNull();
    assertThat(waiting.retries()).isZero();
    assertThat(step.recheck()).contains(RECHECK);
  }

  @Test
  void taskThatBeganBeforeTheClockWasSetBackBeginsNow() {
    TaskPlan waiting = step(plan(0), Map.of("a", List.of(WAIT))).plan();
    now = START.minus(Duration.ofHours(1));

    PlanEngine.Step step = step(waiting, Map.of("a", List.of(WAIT)));

    assertThat(step.plan().tasks().get(0).startedAt()).isEqualTo(now);
  }

  @Test
  void whatATaskCapturesIsRecordedBeforeItRunsAgain() {
    JsonNode params = TextNode.valueOf("known by now");

    PlanEngine.Step step = step(plan(0), Map.of("a", List.of(new TaskOutcome.Captured(params))));

    PlannedTask task = step.plan().tasks().get(0);
    assertThat(ran).containsExactly("a");
    assertThat(task.status()).isEqualTo(TaskStatus.PENDING);
    assertThat(task.params()).isEqualTo(params);
    assertThat(step.recheck()).isEmpty();
  }

  /** The next step is in no status yet. */
  @Test
  void taskThatHasToBeRecordedFirstEndsTheStep() {
    PlanEngine.Step step =
        step(plan(0), Map.of("a", List.of(TaskOutcome.recording()), "b", List.of(DONE)));

    PlannedTask task = step.plan().tasks().get(0);
    assertThat(ran).containsExactly("a");
    assertThat(task.status()).isEqualTo(TaskStatus.PENDING);
    assertThat(task.reason()).isEqualTo(TaskReason.RECORDING.toString());
    assertThat(step.recheck()).as("the plan is written first").isEmpty();
  }

  @Test
  void waitingForEverNeitherFailsNorForgetsWhenItBegan() {
    TaskPlan plan = plan(0);
    for (int i = 0; i < 100; i++) {
      plan = step(plan, Map.of("a", List.of(WAIT), "b", List.of())).plan();
      now = now.plus(Duration.ofHours(1));
    }

    assertThat(plan.isActive()).isTrue();
    assertThat(plan.tasks().get(0).startedAt()).isEqualTo(START);
  }

  @Test
  void planGoesOnAfterTheTasksThatAreComplete() {
    TaskPlan half = step(plan(0), Map.of("a", List.of(DONE), "b", List.of(WAIT))).plan();
    ran.clear();

    PlanEngine.Step step = step(half, Map.of("a", List.of(), "b", List.of(DONE)));

    assertThat(ran).containsExactly("b");
    assertThat(step.plan().phase()).isEqualTo(PlanPhase.COMPLETE);
    assertThat(step.plan().tasks().get(1).reason()).isNull();
  }

  @Test
  void submissionIsNotedOnce() {
    TaskOutcome submitted = TaskOutcome.submitted(TaskReason.SIDECAR_TASK_RUNNING, "", RECHECK);
    TaskPlan first = step(plan(0), Map.of("a", List.of(submitted), "b", List.of())).plan();
    now = now.plusSeconds(60);

    TaskPlan second = step(first, Map.of("a", List.of(submitted), "b", List.of())).plan();

    assertThat(second.tasks().get(0).submittedAt()).isEqualTo(START);
  }

  @Test
  void aPlanThatWaitsIsLookedAtNowAndThenHoweverLongItsTaskWouldWait() {
    TaskOutcome patient =
        TaskOutcome.waitFor(TaskReason.SIDECAR_BUSY, "because", Duration.ofHours(1));

    PlanEngine.Step step = step(plan(0), Map.of("a", List.of(patient), "b", List.of()));

    assertThat(step.recheck()).contains(PlanEngine.LONGEST_WAIT);
  }

  @Test
  void retriesWaitLongerEachTimeAndThenFailThePlan() {
    TaskPlan plan = plan(2);
    var delays = new ArrayList<Optional<Duration>>();
    for (int i = 0; i < 3; i++) {
      PlanEngine.Step step = step(plan, Map.of("a", List.of(new Retry("no " + i)), "b", List.of()));
      plan = step.plan();
      delays.add(step.recheck());
      now = now.plusSeconds(30);
    }

    assertThat(delays)
        .containsExactly(
            Optional.of(Duration.ofSeconds(1)),
            Optional.of(Duration.ofSeconds(2)),
            Optional.empty());
    assertThat(plan.isFailed()).isTrue();
    assertThat(plan.failedTaskIndex()).isZero();
    assertThat(plan.failedTaskDetail().error()).isEqualTo("no 2");
    assertThat(plan.failedTaskDetail().retryCount()).isEqualTo(2);
    assertThat(plan.failedTaskDetail().maxRetries()).isEqualTo(2);
    assertThat(plan.tasks().get(0).status()).isEqualTo(TaskStatus.FAILED);
    assertThat(plan.tasks().get(1).status()).isEqualTo(TaskStatus.PENDING);
  }

  @Test
  void retryIsNotTriedBeforeItsTime() {
    TaskPlan plan = step(plan(2), Map.of("a", List.of(new Retry("no")), "b", List.of())).plan();
    ran.clear();
    now = now.plusMillis(400);

    PlanEngine.Step step = step(plan, Map.of("a", List.of(), "b", List.of()));

    assertThat(ran).isEmpty();
    assertThat(step.plan()).isEqualTo(plan);
    assertThat(step.recheck()).contains(Duration.ofMillis(600));
  }

  @Test
  void aTimeThatNoBackoffComesToIsNotWaitedFor() {
    TaskPlan plan = step(plan(2), Map.of("a", List.of(new Retry("no")), "b", List.of())).plan();
    PlannedTask waiting = plan.tasks().get(0).withRetryAt(now.plusSeconds(1_000_000_000));
    TaskPlan edited = plan.withTasks(List.of(waiting, plan.tasks().get(1)));

    step(edited, Map.of("a", List.of(DONE), "b", List.of(DONE)));

    assertThat(ran).containsExactly("a", "a", "b");
  }

  @Test
  void failureEndsThePlanAtOnce() {
    PlanEngine.Step step = step(plan(5), Map.of("a", List.of(DONE), "b", List.of(new Fail("no"))));

    assertThat(step.plan().isFailed()).isTrue();
    assertThat(step.plan().failedTaskIndex()).isEqualTo(1);
    assertThat(step.plan().failedTaskDetail().type()).isEqualTo("b");
    assertThat(step.recheck()).isEmpty();
  }

  @Test
  void rewindGoesBackAtOnce() {
    PlanEngine.Step step =
        step(plan(0), Map.of("a", List.of(DONE), "b", List.of(new Rewind("a", "gone"))));

    assertThat(step.plan().currentTask().orElseThrow().type()).isEqualTo("a");
    assertThat(step.plan().tasks()).extracting(PlannedTask::startedAt).containsOnlyNulls();
    assertThat(step.recheck()).isEmpty();
    assertThat(step(step.plan(), Map.of("a", List.of(DONE), "b", List.of(DONE))).plan().phase())
        .isEqualTo(PlanPhase.COMPLETE);
  }

  @Test
  void endedPlanIsLeftAsItIs() {
    TaskPlan ended = plan(0).withPhase(PlanPhase.FAILED);

    PlanEngine.Step step = step(ended, Map.of("a", List.of(), "b", List.of()));

    assertThat(step.plan()).isSameAs(ended);
    assertThat(ran).isEmpty();
  }

  @Test
  void exceptionOfATaskIsTheCallers() {
    PlanEngine<List<String>> engine =
        engine(
            List.of(
                TaskType.of(
                    "a",
                    Traits.OF_OPERATOR,
                    context -> {
                      throw new IllegalArgumentException("broken");
                    })));

    assertThatThrownBy(() -> engine.step(plan(0), ran)).hasMessage("broken");
  }

  @Test
  void planWithAnUnknownTaskIsNotKnown() {
    assertThat(engine(Map.of("a", List.of(), "b", List.of())).knows(plan(0))).isTrue();
    assertThat(engine(Map.of("a", List.of())).knows(plan(0))).isFalse();
  }

  private PlanEngine.Step step(TaskPlan plan, Map<String, List<TaskOutcome>> script) {
    return engine(script).step(plan, ran);
  }

  private PlanEngine<List<String>> engine(Map<String, List<TaskOutcome>> script) {
    return engine(
        script.entrySet().stream()
            .<TaskType<List<String>, ?>>map(entry -> scripted(entry.getKey(), entry.getValue()))
            .toList());
  }

  /** A task that answers as scripted; the context notes which tasks ran. */
  private static TaskType<List<String>, ?> scripted(String type, List<TaskOutcome> outcomes) {
    var left = new ArrayDeque<>(outcomes);
    return TaskType.of(
        type,
        Traits.OF_OPERATOR,
        ran -> {
          ran.add(type);
          return left.remove();
        });
  }

  private PlanEngine<List<String>> engine(List<TaskType<List<String>, ?>> types) {
    return new PlanEngine<>(
        types,
        (thrown, context) -> {
          throw thrown;
        },
        Clock.fixed(now, ZoneOffset.UTC));
  }

  private static TaskPlan plan(int maxRetries) {
    List<Step> tasks = Stream.of("a", "b").map(type -> new Step(type, null)).toList();
    var target = new PlanTarget(1L, "v1:a", "sei:a", "s", null, null, null);
    return new PlanSpec(PlanKind.UPDATE, target, tasks, NodePhase.RUNNING, null)
        .supersede(null, type -> Traits.OF_OPERATOR.retried(maxRetries), "p", 0, START);
  }
}
