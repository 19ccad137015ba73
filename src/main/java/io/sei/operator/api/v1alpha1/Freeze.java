package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;

/** Stops a node at a height, where it goes on serving queries. */
public record Freeze(
    @Required
        @Min(1)
        @ValidationRule(
            value = "self == oldSelf",
            message = "freeze.height is immutable: make another node for another height")
        @JsonPropertyDescription(
            "The first block that the node does not execute: it serves queries up to the one"
                + " before. Needs seid v6.6.3; EVM RPC after a restart needs v6.6.4.")
        Long height) {

  /** Begins a rule of the spec that {@link #OVERRIDES} explains. */
  static final String NO_OVERRIDES =
      "!has(self.overrides) || !['chain.freeze_height', 'chain.halt_height',"
          + " 'chain.halt_time'].exists(it, it in self.overrides) || ";

  static final String OVERRIDES =
      "overrides cannot set chain.freeze_height, chain.halt_height or chain.halt_time of a node"
          + " with freeze";

  /** Returns whether the node executes the block of a height. */
  public boolean executes(long block) {
    return block < height;
  }
}
