package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.IntOrString;

/** Policy by which the nodes of a deployment get a new template. */
public record UpdateStrategy(
    @JsonPropertyDescription("InPlace, which is also what is done if it is unset.") Type type,
    @JsonPropertyDescription("Limits of a rollout.") InPlace inPlace,
    @JsonPropertyDescription("Hold rollouts; nodes keep running.") Boolean paused) {

  /** The kinds of update there are. */
  public enum Type {
    @JsonProperty("InPlace")
    IN_PLACE
  }

  /** Action on a rollout that stalls. */
  public enum OnStall {
    /** The rollout stays where it is; no further node is touched. */
    @JsonProperty("Hold")
    HOLD,
    /** After the progress deadline the nodes return to the last template that was completed. */
    @JsonProperty("Rollback")
    ROLLBACK
  }

  /** Limits of an update that keeps the nodes' volumes. */
  @ValidationRule(
      value =
          "!has(self.maxUnavailable) || (type(self.maxUnavailable) == string ?"
              + " self.maxUnavailable.matches('^([1-9][0-9]?|100)%$') : self.maxUnavailable >= 1)",
      message = "maxUnavailable must be at least 1, or a percentage from 1% to 100%")
  public record InPlace(
      @JsonPropertyDescription(
              "Nodes that may be unavailable at a time, a number or a percentage of replicas"
                  + " (rounded up); 1 if unset. Nodes that are down for another reason count; nodes"
                  + " that are paused, held or new do not.")
          IntOrString maxUnavailable,
      @Min(0)
          @Max(100)
          @JsonPropertyDescription("Nodes with a lower ordinal keep their template; 0 if unset.")
          Integer partition,
      @Min(0)
          @Max(86400)
          @JsonPropertyDescription(
              "Seconds a node must have been Ready before the next one is taken; if unset, ten"
                  + " after its first new block, or 30 where none is seen"
                  + " (SEI_CONFIRM_READY_AFTER_BLOCK, SEI_CONFIRM_READY_WITHOUT_BLOCK).")
          Integer minReadySeconds,
      @Min(1)
          @Max(86400)
          @JsonPropertyDescription(
              "Seconds a node may be stalled on the new template before onStall acts; 600 if"
                  + " unset.")
          Integer progressDeadlineSeconds,
      @JsonPropertyDescription("Action on a stalled rollout: Hold (if unset) or Rollback.")
          OnStall onStall) {}
}
