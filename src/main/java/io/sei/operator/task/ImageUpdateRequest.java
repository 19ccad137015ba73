package io.sei.operator.task;

import io.sei.operator.api.v1alpha1.NodeTaskOutputs;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import java.util.Optional;

/** PURE: sets the image of a node's spec once. A later edit of the spec stands. */
record ImageUpdateRequest(String image) implements NodeWork {

  /**
   * A fleet would set its template's image again. Any image of a validator can read its consensus
   * key, so the right to create tasks is not enough: a user who may edit the SeiNode allows it by
   * an annotation.
   */
  @Override
  public Optional<NodeTaskOutcome.Ended> refusal(Target target) {
    Optional<String> fleet = Labels.of(target.node(), Labels.NODE_DEPLOYMENT);
    if (fleet.isPresent()) {
      return refused(
          "SeiNode %s belongs to fleet %s, which gives it its image; set spec.template.spec.image there"
              .formatted(target.name(), fleet.get()));
    }
    if (target.node().getSpec().validator() == null
        || Annotations.has(target.node(), Annotations.TASKS_MAY_SET_IMAGE, "true")) {
      return Optional.empty();
    }
    return refused(
        "SeiNode %s is a validator; set its spec.image, or let tasks do so with its annotation %s: \"true\", and create another task"
            .formatted(target.name(), Annotations.TASKS_MAY_SET_IMAGE));
  }

  private static Optional<NodeTaskOutcome.Ended> refused(String why) {
    return Optional.of(new NodeTaskOutcome.Ended(NodeTaskReason.PARAMS_BUILD_FAILED, why));
  }

  @Override
  public Optional<String> patch(Target target, String id) {
    return Optional.of(MetadataPatch.image(target.node(), image));
  }

  @Override
  public NodeTaskOutcome.Once progress(Target target, String id) {
    String declared = target.node().getSpec().image();
    if (!image.equals(declared)) {
      return new NodeTaskOutcome.Ended(
          NodeTaskReason.TASK_FAILED,
          "spec.image of SeiNode %s was changed to %s meanwhile"
              .formatted(target.name(), declared));
    }
    return target.runs(image)
        ? new NodeTaskOutcome.Ended("the node runs " + image, NodeTaskOutputs.ofImage(image))
        : new NodeTaskOutcome.Running(
            "SeiNode %s does not run %s yet".formatted(target.name(), image));
  }
}
