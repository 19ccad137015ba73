package io.sei.operator.node;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.SidecarAbilities;
import io.sei.operator.node.feature.SidecarWork;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.node.objects.BootstrapState;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarException;
import io.sei.operator.sidecar.SidecarTask;
import io.sei.operator.sidecar.TaskSubmitter;
import io.sei.operator.sidecar.TaskSubmitter.Submission;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Has the sidecar carry out a task of the same type. A task is looked up before it is submitted, so
 * it is submitted once per attempt, whatever crashes in between.
 *
 * @param bootstrap by which a task may be one for the sidecar of the Job's pod
 */
record SidecarTaskRunner(SidecarWork work, SidecarClient sidecar, BootstrapRun bootstrap) {

  private static final Duration UNREACHABLE_POLL = Duration.ofSeconds(1);

  /** A backstop: the node is woken when the sidecar answers. */
  private static final Duration REPEATED_POLL = Duration.ofSeconds(30);

  /** Interval at which a sidecar with a locked store is asked again. */
  private static final Duration BUSY_POLL = Duration.ofSeconds(1);

  /** A backstop: other peers are another plan, and another image is an event of the pod. */
  private static final Duration UNSUPPORTED_POLL = Duration.ofMinutes(1);

  /**
   * Interval at which a withheld request is checked; changes of the pod trigger a reconcile anyway,
   * and a Kubernetes node is read no sooner.
   */
  private static final Duration WITHHELD_POLL = Duration.ofSeconds(10);

  private static final Duration FORBIDDEN_POLL = Duration.ofSeconds(30);

  /** Runs the task once, if its guard lets it. */
  TaskOutcome run(PlannedTask task, NodePass pass) {
    try {
      return work.guard().check(task, pass, asked(task, pass)).orElseGet(() -> submit(task, pass));
    } catch (SidecarException e) {
      return refused(task, pass, work.type(), e);
    }
  }

  private Optional<SidecarClient> asked(PlannedTask task, NodePass pass) {
    return BootstrapRun.hasSidecar(task, pass) ? Optional.of(sidecar) : Optional.empty();
  }

  private TaskOutcome submit(PlannedTask task, NodePass pass) {
    if (BootstrapRun.isInJob(task, pass)) {
      return inJob(task, pass);
    }
    Optional<Pod> pod = pass.view().livePod();
    if (pod.isEmpty()) {
      return TaskOutcome.waitFor(NodeReason.NO_POD, "the node has no pod", UNREACHABLE_POLL);
    }
    boolean mayReplacePod =
        pass.stored().plan().tasks().stream()
            .anyMatch(candidate -> TaskTypes.REPLACE_POD.equals(candidate.type()));
    if (mayReplacePod && pass.view().hasNothingToLose(pod.get()) && pass.isStale(pod.get())) {
      return new TaskOutcome.Rewind(
          TaskTypes.REPLACE_POD, "the pod cannot start, and its template has changed");
    }
    TaskOutcome outcome = ask(task, pass);
    if (outcome.isDone()) {
      work.onCompleted().accept(pass);
    }
    return outcome;
  }

  /** A seid that has ended well had been released: nothing is left to be asked for. */
  private TaskOutcome inJob(PlannedTask task, NodePass pass) {
    BootstrapState state = BootstrapRun.state(pass);
    return switch (state) {
      case BootstrapState.Succeeded _ -> TaskOutcome.done();
      case BootstrapState.Running _ -> ask(task, pass);
      case BootstrapState.Interrupted interrupted -> bootstrap.interrupted(pass, interrupted);
    };
  }

  private TaskOutcome ask(PlannedTask task, NodePass pass) {
    Step step = work.request().apply(params(task.params()), pass);
    if (!SidecarAbilities.can(pass.view(), step.type())) {
      return unsupported(pass, step.type());
    }
    try {
      boolean runs =
          work.endless()
              && sidecar.statuses(pass.sidecar(), work.type()).contains(SidecarTask.Status.RUNNING);
      if (runs) {
        return TaskOutcome.done();
      }
      var submitter =
          new TaskSubmitter(
              sidecar, pass.sidecar(), task.id(), step.type(), step.params(), () -> {});
      return switch (submitter.repeatable(known -> isMissing(task, known))) {
        case Submission.None none -> outcome(task, pass, none.task());
        case Submission.Accepted _ ->
            outcome(task, pass, sidecar.lookup(pass.sidecar(), task.id()));
        case Submission.Failed failed -> refused(task, pass, step.type(), failed.cause());
      };
    } catch (SidecarException e) {
      return refused(task, pass, step.type(), e);
    }
  }

  private TaskOutcome outcome(PlannedTask task, NodePass pass, Optional<SidecarTask> known) {
    if (known.isEmpty()
        || (known.get().status() == SidecarTask.Status.RUNNING && !work.endless())) {
      return TaskOutcome.submitted(
          TaskReason.SIDECAR_TASK_RUNNING,
          "the sidecar is running " + work.type(),
          PollInterval.after(task.submittedAt(), pass.view().now()));
    }
    if (known.get().status() == SidecarTask.Status.FAILED) {
      return new TaskOutcome.Retry(
          "the sidecar's " + work.type() + " failed: " + known.get().error());
    }
    return TaskOutcome.done();
  }

  /**
   * Returns whether the sidecar does not know the task, or only the failure of an attempt that was
   * counted already. Every attempt is one run; with a sidecar that counts no runs, the recorded
   * submission decides.
   */
  private static boolean isMissing(PlannedTask task, Optional<SidecarTask> known) {
    return known.isEmpty()
        || (known.get().status() == SidecarTask.Status.FAILED
            && task.submittedAt() == null
            && known.get().run() <= task.retries());
  }

  private static JsonNode params(JsonNode planned) {
    return planned == null || planned.isEmpty() ? null : planned;
  }

  /**
   * Returns the outcome for a request without a usable answer.
   *
   * @param asked the task type of the request
   */
  private TaskOutcome refused(PlannedTask task, NodePass pass, String asked, SidecarException e) {
    return switch (e.kind()) {
      case UNREACHABLE ->
          TaskOutcome.waitFor(
              StallReason.SIDECAR_UNREACHABLE,
              e.getMessage(),
              e.isRepeated() ? REPEATED_POLL : UNREACHABLE_POLL);
      case WITHHELD ->
          TaskOutcome.waitFor(StallReason.SIDECAR_NOT_ASKED, e.getMessage(), WITHHELD_POLL);
      case BLIND ->
          TaskOutcome.waitFor(StallReason.SIDECAR_NOT_ASKED, e.getMessage(), UNREACHABLE_POLL);
      case FORBIDDEN ->
          TaskOutcome.waitFor(StallReason.SIDECAR_FORBIDDEN, e.getMessage(), FORBIDDEN_POLL);
      case BUSY -> TaskOutcome.waitFor(TaskReason.SIDECAR_BUSY, e.getMessage(), BUSY_POLL);
      case UNSUPPORTED -> {
        SidecarAbilities.addLack(pass, asked);
        yield unsupported(pass, asked);
      }
      case REJECTED ->
          new TaskOutcome.Fail(
              "the sidecar rejected %s%s: %s"
                  .formatted(work.type(), named(task.params()), e.getMessage()));
    };
  }

  private static TaskOutcome unsupported(NodePass pass, String asked) {
    return TaskOutcome.waitFor(
        StallReason.SIDECAR_UNSUPPORTED, SidecarAbilities.message(pass, asked), UNSUPPORTED_POLL);
  }

  /** The sidecar's words say what is wrong with a parameter, not always with which. */
  private static String named(JsonNode params) {
    if (params == null || params.isEmpty()) {
      return "";
    }
    return " with "
        + params.properties().stream().map(Map.Entry::getKey).collect(Collectors.joining(", "));
  }
}
