package io.sei.operator.task;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeTaskSubmission;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.render.Names;
import io.sei.operator.sidecar.SidecarAddress;
import java.util.Optional;

/**
 * The node that a task is for, read live.
 *
 * @param claimUid the claim that the pod has its data from; empty if there is no pod, or no claim
 * @param fleet reason for which the node's fleet has not granted a restart of seid; empty for a
 *     node without a fleet
 */
record Target(SeiNode node, Optional<Pod> pod, Optional<String> claimUid, Optional<String> fleet) {

  String name() {
    return node.getMetadata().getName();
  }

  /** The target after a change of the node. */
  Target withNode(SeiNode changed) {
    return new Target(changed, pod, claimUid, fleet);
  }

  NodePhase phase() {
    return Optional.ofNullable(status().phase()).orElse(NodePhase.PENDING);
  }

  SeiNodeStatus status() {
    return Optional.ofNullable(node.getStatus()).orElseGet(SeiNodeStatus::empty);
  }

  /** A condition of the node. */
  Optional<Condition> condition(NodeConditionType type) {
    return status().condition(type);
  }

  /** The address of its sidecar, for the requests of this task. */
  SidecarAddress sidecar(SeiNodeTask task) {
    return new SidecarAddress(
        node.getMetadata().getNamespace(),
        name(),
        pod.map(owner -> owner.getMetadata().getUid()),
        pod.flatMap(PodFacts::address),
        pod.flatMap(owner -> PodFacts.containerId(owner, Names.SIDECAR)),
        Optional.of(task.getMetadata().getUid()));
  }

  /** The image of its sidecar, for people. */
  String sidecarImage() {
    return pod.flatMap(owner -> PodFacts.image(owner, Names.SIDECAR)).orElse("(no pod)");
  }

  /** Returns whether its seid is of this image, as far as is known. */
  boolean runs(String image) {
    return image.equals(status().currentImage());
  }

  /** Returns whether it is the node, and no other of its name, that something was recorded of. */
  boolean is(NodeTaskSubmission submission) {
    return submission.nodeUid() == null || uid().equals(submission.nodeUid());
  }

  /** Returns the record of a submission to its sidecar. */
  NodeTaskSubmission submission(String id) {
    return new NodeTaskSubmission(
        id, null, null, null, null, uid(), claimUid.orElse(null), resetGeneration());
  }

  /**
   * Why its sidecar can no longer have the record of a submission; empty if it can. Only a claim
   * that is known to be another one counts, and one that was submitted before an adoption has none.
   */
  Optional<String> lost(NodeTaskSubmission submission) {
    if (submission.nodeUid() == null) {
      return Optional.empty();
    }
    if (!is(submission)) {
      return Optional.of("SeiNode %s was deleted and created again".formatted(name()));
    }
    if (claimUid.isPresent() && !claimUid.get().equals(submission.claimUid())) {
      return Optional.of("SeiNode %s has another volume".formatted(name()));
    }
    return Long.valueOf(resetGeneration()).equals(submission.resetGeneration())
        ? Optional.empty()
        : Optional.of("the data of SeiNode %s was reset".formatted(name()));
  }

  private String uid() {
    return node.getMetadata().getUid();
  }

  private long resetGeneration() {
    return status().resetGeneration();
  }
}
