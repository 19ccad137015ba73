package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;

/** Origin of a listed upgrade that no user listed. */
public enum UpgradeSource {
  /** The operator, since the chain plans it. */
  @JsonProperty("Chain")
  CHAIN
}
