package io.sei.operator.node.task;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.NodeDiagnosis;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.TaskTypes;
import io.sei.operator.plan.Task;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.util.Optional;

/**
 * Waits until the kubelet has the images of the node's new pod, and records what runs. Readiness is
 * not waited for: a node halted at an upgrade height is unready on purpose.
 */
public final class ObserveImageTask implements Task<NodeReconcile> {

  /** A backstop: the pod's watch announces its progress. */
  private static final Duration RECHECK = Duration.ofSeconds(10);

  private final KubeApi api;
  private final NodeDiagnosis diagnosis;

  public ObserveImageTask(KubeApi api, NodeDiagnosis diagnosis) {
    this.api = api;
    this.diagnosis = diagnosis;
  }

  @Override
  public String type() {
    return TaskTypes.OBSERVE_IMAGE;
  }

  @Override
  public TaskOutcome run(PlannedTask task, NodeReconcile reconcile) {
    Optional<Pod> seen = reconcile.snapshot().livePod();
    if (seen.isEmpty() || !runsTarget(reconcile, seen.get())) {
      return seen.filter(reconcile::isStale).isPresent()
          ? new TaskOutcome.Rewind(TaskTypes.REPLACE_POD, "the pod is not of the plan's target")
          : await(reconcile);
    }
    return confirm(reconcile);
  }

  /** The cache may be behind; what is recorded as running is read live. */
  private TaskOutcome confirm(NodeReconcile reconcile) {
    Optional<Pod> live = api.get(Pod.class, reconcile.namespace(), Names.pod(reconcile.node()));
    if (live.isEmpty()
        || PodFacts.isTerminating(live.get())
        || !reconcile.snapshot().isOwned(live.get())) {
      return await(reconcile);
    }
    if (reconcile.isStale(live.get())) {
      return new TaskOutcome.Rewind(TaskTypes.REPLACE_POD, "the pod is not of the plan's target");
    }
    if (!runsTarget(reconcile, live.get())) {
      return await(reconcile);
    }
    PlanTarget target = reconcile.status().plan().target();
    String sidecar = PodFacts.image(live.get(), Names.SIDECAR).orElse(target.sidecarImage());
    reconcile.update(
        status ->
            status.with(
                it ->
                    it.currentImage(target.image())
                        .currentSidecarImage(sidecar)
                        .podSpecHash(target.specHash())));
    return TaskOutcome.done();
  }

  private TaskOutcome await(NodeReconcile reconcile) {
    Optional<Finding> finding = diagnosis.of(reconcile);
    return finding
        .map(it -> TaskOutcome.waitFor(it.reason().toString(), it.message(), RECHECK))
        .orElseGet(
            () ->
                TaskOutcome.waitFor(
                    "PodStarting", "waiting for the new pod to have its images", RECHECK));
  }

  private static boolean runsTarget(NodeReconcile reconcile, Pod pod) {
    return !reconcile.isStale(pod)
        && PodFacts.image(pod, Names.SEID)
            .equals(Optional.of(reconcile.status().plan().target().image()))
        && PodFacts.imageId(pod, Names.SEID).isPresent()
        && PodFacts.imageId(pod, Names.SIDECAR).isPresent();
  }
}
