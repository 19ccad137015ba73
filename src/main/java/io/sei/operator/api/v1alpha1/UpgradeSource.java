package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Who listed an upgrade, if no person did. */
public enum UpgradeSource {
  /** The operator, since the chain plans it. */
  @JsonProperty("Chain")
  CHAIN
}
