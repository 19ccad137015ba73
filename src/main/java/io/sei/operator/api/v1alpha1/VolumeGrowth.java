package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.kubernetes.api.model.Quantity;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/** The growth of a volume, as it was decided on. */
@RecordBuilder
public record VolumeGrowth(
    @JsonPropertyDescription("UID of the claim.") String claimUid,
    @Pattern(Patterns.QUANTITY) @JsonPropertyDescription("Size of the volume before.") String from,
    @Pattern(Patterns.QUANTITY) @JsonPropertyDescription("Size that the claim is to ask for.")
        String size,
    @JsonPropertyDescription("When it was decided.") Instant at,
    @JsonPropertyDescription(
            "UID of the pod that is replaced, once, as seid does not run in it and the file system"
                + " did not grow while it was mounted.")
        String replacedPod)
    implements VolumeGrowthBuilder.With {

  /** The size that the claim is to ask for; empty if the record does not say one. */
  public Optional<Quantity> target() {
    try {
      return Optional.ofNullable(size)
          .map(Quantity::new)
          .filter(it -> it.getNumericalAmount().signum() > 0);
    } catch (IllegalArgumentException | ArithmeticException e) {
      return Optional.empty();
    }
  }

  /** Returns whether it is of the claim with this uid. */
  public boolean isOf(String uid) {
    return uid.equals(claimUid);
  }
}
