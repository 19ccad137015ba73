package io.sei.operator.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.node.objects.BootstrapState;
import io.sei.operator.node.objects.BootstrapTasks;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.Bootstrap;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarHealth;
import java.time.Duration;
import java.util.List;

/**
 * Waits until seid of the bootstrap Job has halted at its height. That it has is recorded before
 * the Job goes: without the pod nothing else would say so.
 */
public record AwaitBootstrapTask(KubeApi api, SidecarClient sidecar, BootstrapRun bootstrap) {

  private static final String COMPLETED = "completed";

  /**
   * Result that the task captured.
   *
   * @param completed that seid has halted at its height; null if that was not seen yet
   */
  record Seen(JsonNode completed) {}

  /**
   * Delay after which a restart of the sidecar is noticed that happened before seid saw its
   * release.
   */
  private static final Duration RECHECK = Duration.ofSeconds(30);

  /** Runs the task once. */
  public TaskOutcome run(PlannedTask task, Seen seen, NodePass pass) {
    if (seen.completed() != null) {
      return TaskOutcome.done();
    }
    BootstrapState state = BootstrapRun.state(pass);
    return switch (state) {
      case BootstrapState.Succeeded succeeded -> confirm(task, pass, succeeded.pod());
      case BootstrapState.Running _ -> running(pass);
      case BootstrapState.Interrupted interrupted -> bootstrap.interrupted(pass, interrupted);
    };
  }

  private TaskOutcome running(NodePass pass) {
    if (sidecar.health(pass.sidecar()) == SidecarHealth.NOT_READY) {
      return new TaskOutcome.Rewind(TaskTypes.MARK_READY, "the sidecar restarted");
    }
    long height = Bootstrap.of(pass.node().getSpec()).map(Bootstrap::targetHeight).orElse(0L);
    String message = "seid replays up to height " + height;
    return bootstrap.await(
        pass, TaskOutcome.waitFor(TaskReason.REPLAYING, message, RECHECK), RECHECK);
  }

  /** The cache may be behind; what ends the run is read live. */
  private TaskOutcome confirm(PlannedTask task, NodePass pass, Pod seen) {
    String run = BootstrapTasks.run(pass.stored().plan()).orElseThrow();
    boolean confirmed =
        api.get(Pod.class, pass.namespace(), seen.getMetadata().getName())
            .filter(pod -> pod.getMetadata().getUid().equals(seen.getMetadata().getUid()))
            .map(pod -> bootstrap.withWords(pass, pod))
            .map(pod -> BootstrapState.of(List.of(pod), run))
            .filter(BootstrapState.Succeeded.class::isInstance)
            .isPresent();
    if (!confirmed) {
      return TaskOutcome.waitFor(TaskReason.POD_CHANGED, "the bootstrap pod changed", Recheck.RACE);
    }
    return completed(task);
  }

  private static TaskOutcome completed(PlannedTask task) {
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    if (task.params() != null) {
      params.setAll((ObjectNode) task.params());
    }
    return new TaskOutcome.Captured(params.put(COMPLETED, true));
  }
}
