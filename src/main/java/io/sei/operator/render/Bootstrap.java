package io.sei.operator.render;

import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import java.util.Optional;

/**
 * A first run of seid, with an image of its own, from a restored snapshot up to a height. It uses
 * the node's volume, so it ends before the node gets its own pod.
 *
 * @param image image of seid for this run
 * @param targetHeight the height at which seid halts
 */
public record Bootstrap(String image, long targetHeight) {

  /** Returns the bootstrap of a spec; empty if the node starts with its own image. */
  public static Optional<Bootstrap> of(SeiNodeSpec spec) {
    return spec.initialSnapshot()
        .filter(snapshot -> snapshot.s3() != null && snapshot.s3().targetHeight() != null)
        .filter(
            snapshot -> snapshot.bootstrapImage() != null && !snapshot.bootstrapImage().isEmpty())
        .map(snapshot -> new Bootstrap(snapshot.bootstrapImage(), snapshot.s3().targetHeight()));
  }

  /** Returns the field of a spec that has the image of its bootstrap. */
  public static String imageField(SeiNodeSpec spec) {
    String ofReplayer = spec.replayer() == null ? "fullNode" : "replayer";
    return "spec.%s.snapshot.bootstrapImage"
        .formatted(spec.validator() == null ? ofReplayer : "validator");
  }

  /**
   * Returns the node's spec for this run: with its image, without keys, and without another height
   * to stop at. A user who may read the log of a Job or replace its image must not get a
   * validator's identity.
   */
  public SeiNodeSpec specOf(SeiNodeSpec spec) {
    Validator validator =
        spec.validator() == null
            ? null
            : ValidatorBuilder.builder().snapshot(spec.validator().snapshot()).build();
    FullNode fullNode = spec.fullNode() == null ? null : spec.fullNode().withFreeze(null);
    return spec.with(
        builder ->
            builder
                .image(image)
                .fullNode(fullNode)
                .validator(validator)
                .podLabels(null)
                .paused(null));
  }
}
