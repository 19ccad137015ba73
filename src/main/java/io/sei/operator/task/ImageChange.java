package io.sei.operator.task;

import io.sei.operator.api.v1alpha1.NodeTaskOutputs;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.render.Labels;
import java.util.Optional;

/** PURE: gives a node an image. Once it has, whoever changes the spec has the last word. */
record ImageChange(String image) implements NodeWork {

  /** A fleet would set back what is not in its template. */
  @Override
  public Optional<Refusal> refusal(Target target) {
    return Labels.of(target.node(), Labels.NODE_DEPLOYMENT)
        .map(
            fleet ->
                new Refusal(
                    NodeTaskReason.PARAMS_BUILD_FAILED,
                    "SeiNode %s belongs to fleet %s, which gives it its image; set spec.template.spec.image there"
                        .formatted(target.name(), fleet)));
  }

  @Override
  public Optional<String> patch(Target target, String id) {
    return Optional.of(MetadataPatch.image(target.node(), image));
  }

  @Override
  public Progress progress(Target target, String id) {
    String declared = target.node().getSpec().image();
    if (!image.equals(declared)) {
      return new Progress.Failed(
          "spec.image of SeiNode %s was changed to %s meanwhile"
              .formatted(target.name(), declared));
    }
    return target.runs(image)
        ? new Progress.Done("the node runs " + image, NodeTaskOutputs.ofImage(image))
        : new Progress.Pending("SeiNode %s does not run %s yet".formatted(target.name(), image));
  }
}
