package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/** Whether a resource makes progress, as it was last decided. */
public record Progress(
    @JsonPropertyDescription("Reason of the stall; unset while it is not stalled.")
        String stalledOn,
    @JsonPropertyDescription("Time since which it is stalled, or is not.") Instant since,
    @JsonPropertyDescription("Whether it was stalled, and has yet to show that it has recovered.")
        Boolean recovering) {

  /**
   * Returns the decision that follows another one; the time stays unless the decision differs, or
   * the time is in the future.
   *
   * @param before null if nothing was decided yet
   * @param recovering whether the resource was stalled, and has yet to show that it has recovered
   */
  public static Progress after(
      Progress before, Optional<Reason> stalledOn, boolean recovering, Instant now) {
    Instant since =
        Optional.ofNullable(before)
            .filter(progress -> progress.isStalled() == stalledOn.isPresent())
            .map(Progress::since)
            .filter(time -> !time.isAfter(now))
            .orElse(now);
    return new Progress(
        stalledOn.map(Object::toString).orElse(null), since, recovering ? true : null);
  }

  /** Returns whether the resource is stalled. */
  @JsonIgnore
  public boolean isStalled() {
    return stalledOn != null;
  }

  /** Returns whether the resource is stalled on one of these. */
  public boolean stalledOn(StallReason... reasons) {
    return Stream.of(reasons).anyMatch(reason -> reason.is(stalledOn));
  }

  /** Returns whether the resource is stalled, or has yet to show that it has recovered. */
  public boolean hasYetToRecover() {
    return isStalled() || Boolean.TRUE.equals(recovering);
  }
}
