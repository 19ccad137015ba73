package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.stream.Stream;

/** A condition with the fields and limits of {@code metav1.Condition}. */
@RecordBuilder
public record Condition(
    @Required
        @Size(max = 316)
        @Pattern(
            "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
                + "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$")
        String type,
    @Required ConditionStatus status,
    @Min(0) Long observedGeneration,
    @Required Instant lastTransitionTime,
    @Required @Size(min = 1, max = 1024) @Pattern("^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$")
        String reason,
    @Required @Size(max = 32768) String message)
    implements ConditionBuilder.With {

  /** Returns whether the condition is True. */
  @JsonIgnore
  public boolean isTrue() {
    return status == ConditionStatus.TRUE;
  }

  /** The reason, to be said again as it is. */
  public Reason storedReason() {
    return new Reason.Stored(reason);
  }

  /** Returns whether the condition says what it says for one of these reasons. */
  public boolean isFor(Reason... reasons) {
    return Stream.of(reasons).anyMatch(candidate -> candidate.is(reason));
  }
}
