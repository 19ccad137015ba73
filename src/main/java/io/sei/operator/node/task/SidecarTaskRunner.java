package io.sei.operator.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.node.bootstrap.BootstrapState;
import io.sei.operator.node.bootstrap.UnknownTasks;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.TaskTypes;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarException;
import io.sei.operator.sidecar.SidecarTask;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * Has the sidecar carry out a task of the same type. A task is looked up before it is submitted, so
 * it is submitted once per attempt, whatever crashes in between.
 *
 * @param type type of the task in the plan
 * @param guard has to let the task pass at every look
 * @param request what the sidecar is asked for, given the task's parameters
 * @param onCompleted called when the task completed in the node's own pod, with that pod
 * @param endless whether the task runs for as long as the node does: it is done once the sidecar
 *     runs one of its type. Up to v0.0.60 a restart may end it as failed, so every plan looks again
 */
@RecordBuilder
public record SidecarTaskRunner(
    String type,
    SidecarClient sidecar,
    BootstrapRun bootstrap,
    Guard guard,
    BiFunction<JsonNode, NodeReconcile, Step> request,
    BiConsumer<NodeReconcile, Pod> onCompleted,
    boolean endless)
    implements SidecarTaskRunnerBuilder.With {

  private static final Duration UNREACHABLE_POLL = Duration.ofSeconds(1);

  /** What a sidecar asks for whose store is locked. */
  private static final Duration BUSY_POLL = Duration.ofSeconds(1);

  /** A backstop: other peers are another plan, and another image is an event of the pod. */
  private static final Duration UNSUPPORTED_POLL = Duration.ofMinutes(1);

  /** What changes about the pod announces itself; a Kubernetes node is read again no sooner. */
  private static final Duration WITHHELD_POLL = Duration.ofSeconds(10);

  private static final Duration FORBIDDEN_POLL = Duration.ofSeconds(30);

  private static final String NOT_ASKED = "SidecarNotAsked";

  /** A task that the sidecar knows by the plan's type and parameters, and that may always run. */
  public static SidecarTaskRunner of(String type, SidecarClient sidecar, BootstrapRun bootstrap) {
    return new SidecarTaskRunner(
        type,
        sidecar,
        bootstrap,
        (task, reconcile) -> Optional.empty(),
        (params, reconcile) -> new Step(type, params),
        (reconcile, pod) -> {},
        false);
  }

  /** Runs the task once, if its guard lets it. */
  public TaskOutcome run(PlannedTask task, NodeReconcile reconcile) {
    try {
      return guard.check(task, reconcile).orElseGet(() -> submit(task, reconcile));
    } catch (SidecarException e) {
      return refused(task, reconcile, type, e);
    }
  }

  private TaskOutcome submit(PlannedTask task, NodeReconcile reconcile) {
    if (BootstrapRun.isInJob(task, reconcile)) {
      return inJob(task, reconcile);
    }
    Optional<Pod> pod = reconcile.snapshot().livePod();
    if (pod.isEmpty()) {
      return TaskOutcome.waitFor(NodeReason.NO_POD, "the node has no pod", UNREACHABLE_POLL);
    }
    if (reconcile.snapshot().hasNothingToLose(pod.get()) && reconcile.isStale(pod.get())) {
      return new TaskOutcome.Rewind(
          TaskTypes.REPLACE_POD, "the pod cannot start, and its template has changed");
    }
    TaskOutcome outcome = ask(task, reconcile);
    if (outcome.isDone()) {
      onCompleted.accept(reconcile, pod.get());
    }
    return outcome;
  }

  /** A seid that has ended well had been released: nothing is left to be asked for. */
  private TaskOutcome inJob(PlannedTask task, NodeReconcile reconcile) {
    BootstrapState state = BootstrapRun.state(reconcile);
    return switch (state) {
      case BootstrapState.Succeeded _ -> TaskOutcome.done();
      case BootstrapState.Running _ -> ask(task, reconcile);
      case BootstrapState.Missing _, BootstrapState.Leaving _, BootstrapState.Failed _ ->
          bootstrap.interrupted(reconcile, state);
    };
  }

  private TaskOutcome ask(PlannedTask task, NodeReconcile reconcile) {
    Step step = request.apply(params(task.params()), reconcile);
    if (UnknownTasks.contain(reconcile, step.type())) {
      return unsupported(reconcile, step.type());
    }
    try {
      boolean runs =
          endless
              && sidecar.statuses(reconcile.sidecar(), type).contains(SidecarTask.Status.RUNNING);
      if (runs) {
        return TaskOutcome.done();
      }
      Optional<SidecarTask> known = sidecar.lookup(reconcile.sidecar(), task.id());
      if (known.isEmpty() || isEarlierAttempt(task, known.get())) {
        sidecar.submit(reconcile.sidecar(), task.id(), step.type(), step.params());
        known = sidecar.lookup(reconcile.sidecar(), task.id());
      }
      return outcome(task, reconcile, known);
    } catch (SidecarException e) {
      return refused(task, reconcile, step.type(), e);
    }
  }

  private TaskOutcome outcome(
      PlannedTask task, NodeReconcile reconcile, Optional<SidecarTask> known) {
    if (known.isEmpty() || (known.get().status() == SidecarTask.Status.RUNNING && !endless)) {
      return TaskOutcome.submitted(
          "SidecarTaskRunning",
          "the sidecar is running " + type,
          PollInterval.after(task.submittedAt(), reconcile.snapshot().now()));
    }
    if (known.get().status() == SidecarTask.Status.FAILED) {
      return new TaskOutcome.Retry("the sidecar's " + type + " failed: " + known.get().error());
    }
    return TaskOutcome.done();
  }

  /**
   * Whether what the sidecar knows is the failure of an attempt that was counted already. Every
   * attempt is one run; with a sidecar that counts no runs, what was submitted decides.
   */
  private static boolean isEarlierAttempt(PlannedTask task, SidecarTask known) {
    return known.status() == SidecarTask.Status.FAILED
        && task.submittedAt() == null
        && known.run() <= task.retries();
  }

  private static JsonNode params(JsonNode planned) {
    return planned == null || planned.isEmpty() ? null : planned;
  }

  /**
   * What a request without a usable answer means for the task.
   *
   * @param asked the task type of the request
   */
  private TaskOutcome refused(
      PlannedTask task, NodeReconcile reconcile, String asked, SidecarException e) {
    return switch (e.kind()) {
      case UNREACHABLE ->
          TaskOutcome.waitFor(StallReason.SIDECAR_UNREACHABLE, e.getMessage(), UNREACHABLE_POLL);
      case WITHHELD -> TaskOutcome.waitFor(NOT_ASKED, e.getMessage(), WITHHELD_POLL);
      case BLIND -> TaskOutcome.waitFor(NOT_ASKED, e.getMessage(), UNREACHABLE_POLL);
      case FORBIDDEN ->
          TaskOutcome.waitFor(StallReason.SIDECAR_FORBIDDEN, e.getMessage(), FORBIDDEN_POLL);
      case BUSY -> TaskOutcome.waitFor("SidecarBusy", e.getMessage(), BUSY_POLL);
      case UNSUPPORTED -> {
        UnknownTasks.add(reconcile, asked);
        yield unsupported(reconcile, asked);
      }
      case REJECTED ->
          new TaskOutcome.Fail(
              "the sidecar rejected %s%s: %s"
                  .formatted(type, named(task.params()), e.getMessage()));
    };
  }

  private static TaskOutcome unsupported(NodeReconcile reconcile, String asked) {
    return TaskOutcome.waitFor(
        StallReason.SIDECAR_UNSUPPORTED, UnknownTasks.message(reconcile, asked), UNSUPPORTED_POLL);
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
