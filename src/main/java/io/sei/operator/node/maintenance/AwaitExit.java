package io.sei.operator.node.maintenance;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.TaskTypes;
import io.sei.operator.plan.Reuse;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.plan.TaskSpec;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Waits until the run of seid that there was before mark-not-ready has ended. A later one, in that
 * pod or another, is kept back by the sidecar.
 */
public final class AwaitExit {

  private static final String POD = "podUid";
  private static final String RUN = "containerID";

  /** A backstop: the pod's watch announces the exit. */
  private static final Duration RECHECK = Duration.ofMinutes(1);

  private AwaitExit() {}

  /**
   * The task for a node as it was observed. It waits for the run that the plan before it waited
   * for, if there is one: the one that there is now may be kept back already.
   */
  public static TaskSpec of(NodeSnapshot snapshot) {
    JsonNode run =
        in(snapshot.status().plan())
            .map(PlannedTask::params)
            .filter(Objects::nonNull)
            .findFirst()
            .orElseGet(() -> run(snapshot));
    return new TaskSpec(TaskTypes.AWAIT_EXIT, run, 0, Reuse.NONE);
  }

  private static ObjectNode run(NodeSnapshot snapshot) {
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    snapshot
        .livePod()
        .ifPresent(
            pod ->
                params
                    .put(POD, pod.getMetadata().getUid())
                    .put(RUN, PodFacts.containerId(pod, Names.SEID).orElse("")));
    return params;
  }

  /** Whether a plan still waits, or will. */
  public static boolean isLeft(TaskPlan plan) {
    return in(plan).anyMatch(task -> task.status() != TaskStatus.COMPLETE);
  }

  private static Stream<PlannedTask> in(TaskPlan plan) {
    return Stream.ofNullable(plan)
        .flatMap(it -> it.tasks().stream())
        .filter(task -> TaskTypes.AWAIT_EXIT.equals(task.type()));
  }

  /** Runs the task once. */
  public static TaskOutcome run(PlannedTask task, NodeReconcile reconcile) {
    return reconcile.snapshot().livePod().filter(pod -> isIn(pod, task.params())).isPresent()
        ? TaskOutcome.waitFor(
            NodeReason.AWAITING_EXIT, "seid runs until it ends by itself", RECHECK)
        : TaskOutcome.done();
  }

  private static boolean isIn(Pod pod, JsonNode run) {
    return run != null
        && run.path(POD).asText().equals(pod.getMetadata().getUid())
        && run.path(RUN).asText().equals(PodFacts.containerId(pod, Names.SEID).orElse(""))
        && PodFacts.runs(pod, Names.SEID);
  }
}
