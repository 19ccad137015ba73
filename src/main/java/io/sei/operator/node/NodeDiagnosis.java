package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Evidence;
import io.sei.operator.diagnosis.EvidenceBuilder;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.NodeFacts;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.SidecarTrouble;
import io.sei.operator.render.Names;
import io.sei.operator.sidecar.SidecarHealth;
import java.util.Optional;
import java.util.function.Function;

/** Collects the evidence of a reconcile and has it judged. */
public final class NodeDiagnosis {

  private final Function<String, Optional<Node>> nodes;

  /**
   * @param nodes reads the Kubernetes node of a name; only asked about pods that should be gone
   */
  public NodeDiagnosis(Function<String, Optional<Node>> nodes) {
    this.nodes = nodes;
  }

  /** Why the node does not progress, if its objects show a cause. */
  public Optional<Finding> of(NodeWork work) {
    return Diagnosis.of(evidence(work), work.snapshot().now());
  }

  private Evidence evidence(NodeWork work) {
    NodeSnapshot snapshot = work.snapshot();
    Optional<Pod> pod = snapshot.ownedPod();
    Optional<PlannedTask> task = unfinishedTask(work.status());
    SidecarTrouble trouble = trouble(snapshot, task);
    return EvidenceBuilder.builder()
        .pod(pod.orElse(null))
        .newPod(pod.filter(candidate -> isOfActivePlan(work, candidate)).isPresent())
        .claim(snapshot.claim().orElse(null))
        .claimName(isClaimWatched(snapshot) ? Names.claim(snapshot.node()) : null)
        .node(pod.flatMap(candidate -> nodeOf(snapshot, candidate)).orElse(null))
        .sidecarTrouble(trouble)
        .sidecarMessage(task.map(NodeDiagnosis::words).orElse(null))
        .statefulSetConflict(work.conflict().orElse(null))
        .currentTask(task.map(PlannedTask::type).orElse(null))
        .build();
  }

  /** An imported claim is not in the caches, so its absence there means nothing. */
  private static boolean isClaimWatched(NodeSnapshot snapshot) {
    return snapshot.claim().isPresent()
        || (snapshot.pod().isPresent() && Names.importedClaim(snapshot.node()).isEmpty());
  }

  /** The task a plan waits for, or that it failed at. */
  private static Optional<PlannedTask> unfinishedTask(SeiNodeStatus status) {
    return Optional.ofNullable(status.plan()).flatMap(TaskPlan::currentTask);
  }

  private static String words(PlannedTask task) {
    return task.message() == null ? task.error() : task.message();
  }

  private static boolean isOfActivePlan(NodeWork work, Pod pod) {
    TaskPlan plan = work.status().plan();
    return plan != null
        && plan.isActive()
        && plan.target() != null
        && work.snapshot().stampOf(pod).equals(Optional.ofNullable(plan.target().specHash()));
  }

  private static SidecarTrouble trouble(NodeSnapshot snapshot, Optional<PlannedTask> task) {
    String reason = task.map(PlannedTask::reason).orElse("");
    if (StallReason.SIDECAR_UNREACHABLE.toString().equals(reason)) {
      return SidecarTrouble.UNREACHABLE;
    }
    if (StallReason.SIDECAR_FORBIDDEN.toString().equals(reason)) {
      return SidecarTrouble.FORBIDDEN;
    }
    if (task.filter(it -> TaskTypes.isOfSidecar(it.type())).map(PlannedTask::error).isPresent()) {
      return SidecarTrouble.TASK_FAILED;
    }
    return snapshot
        .sidecar()
        .map(
            health ->
                health == SidecarHealth.UNREACHABLE
                    ? SidecarTrouble.UNREACHABLE
                    : health == SidecarHealth.FORBIDDEN
                        ? SidecarTrouble.FORBIDDEN
                        : SidecarTrouble.NONE)
        .orElse(SidecarTrouble.NONE);
  }

  /** Kubernetes nodes are not watched: they are only of interest once a pod outlives its end. */
  private Optional<NodeFacts> nodeOf(NodeSnapshot snapshot, Pod pod) {
    String name = pod.getSpec() == null ? null : pod.getSpec().getNodeName();
    return name != null && PodFacts.isOverdue(pod, snapshot.now())
        ? Optional.of(NodeFacts.of(name, nodes.apply(name).orElse(null)))
        : Optional.empty();
  }
}
