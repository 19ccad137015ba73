package io.sei.operator.node.task;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.NodeDiagnosis;
import io.sei.operator.node.NodeWork;
import io.sei.operator.node.TaskTypes;
import io.sei.operator.plan.Task;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.util.Optional;

/**
 * Waits until the kubelet has the images of the node's new pod, and records what runs. Readiness is
 * not waited for: a node halted at an upgrade height is unready on purpose.
 */
public final class ObserveImageTask implements Task<NodeWork> {

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
  public TaskOutcome run(PlannedTask task, NodeWork work) {
    Optional<Pod> seen = work.snapshot().livePod();
    if (seen.isEmpty() || !runsTarget(work, seen.get())) {
      return seen.filter(work::isStale).isPresent()
          ? new TaskOutcome.Rewind(TaskTypes.REPLACE_POD, "the pod is not of the plan's target")
          : await(work);
    }
    return confirm(work);
  }

  /** The cache may be behind; what is recorded as running is read live. */
  private TaskOutcome confirm(NodeWork work) {
    Optional<Pod> live = api.get(Pod.class, work.namespace(), Names.pod(work.node()));
    if (live.isEmpty()
        || PodFacts.isTerminating(live.get())
        || !work.snapshot().isOwned(live.get())) {
      return await(work);
    }
    if (work.isStale(live.get())) {
      return new TaskOutcome.Rewind(TaskTypes.REPLACE_POD, "the pod is not of the plan's target");
    }
    if (!runsTarget(work, live.get())) {
      return await(work);
    }
    PlanTarget target = work.status().plan().target();
    String sidecar = PodFacts.image(live.get(), Names.SIDECAR).orElse(target.sidecarImage());
    work.update(
        status ->
            status.with(
                it ->
                    it.currentImage(target.image())
                        .currentSidecarImage(sidecar)
                        .podSpecHash(target.specHash())));
    return TaskOutcome.done();
  }

  private TaskOutcome await(NodeWork work) {
    Optional<Finding> finding = diagnosis.of(work);
    return finding
        .map(it -> TaskOutcome.waitFor(it.reason().toString(), it.message(), RECHECK))
        .orElseGet(
            () ->
                TaskOutcome.waitFor(
                    "PodStarting", "waiting for the new pod to have its images", RECHECK));
  }

  private static boolean runsTarget(NodeWork work, Pod pod) {
    return !work.isStale(pod)
        && PodFacts.image(pod, Names.SEID)
            .equals(Optional.of(work.status().plan().target().image()))
        && PodFacts.isPulled(pod, Names.SEID)
        && PodFacts.isPulled(pod, Names.SIDECAR);
  }
}
