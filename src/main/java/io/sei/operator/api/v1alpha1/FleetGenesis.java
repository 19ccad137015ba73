package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.sei.operator.api.v1alpha1.NodeGenesis.ConfigMapKey;
import java.util.List;

/** Progress of a fleet's genesis ceremony. There is a record before anything of it is made. */
public record FleetGenesis(
    @JsonPropertyDescription("Validators of the chain, by ordinal from 0.") Integer validators,
    @JsonPropertyDescription("ConfigMap with the genesis; unset until it is made.")
        ConfigMapKey configMap,
    @JsonPropertyDescription("P2P identities of the validators, by ordinal; unset if unknown.")
        List<String> nodeIds) {

  /** A ceremony of which nothing has been made. */
  public static FleetGenesis begun() {
    return new FleetGenesis(null, null, null);
  }

  /** Returns whether the genesis is made, which happens once. */
  public static boolean isMade(FleetGenesis genesis) {
    return genesis != null && genesis.configMap() != null;
  }

  /** Returns whether the node with an ordinal is one of its validators. */
  public boolean isValidator(int ordinal) {
    return validators != null && ordinal < validators;
  }
}
