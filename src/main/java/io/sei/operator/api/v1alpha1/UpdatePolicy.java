package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** How a node that runs is brought to what its spec asks for. */
public record UpdatePolicy(
    @JsonPropertyDescription(
            "How the pod gets other images and resources: Recreate (if unset) deletes it, and a new one"
                + " is made; InPlaceIfPossible changes the running pod where nothing else differs,"
                + " so that volume, address and place stay, and deletes it where more does."
                + " Changing the policy restarts nothing.")
        OfPod pod) {

  /** How a pod gets other images and resources. */
  public enum OfPod {
    @JsonProperty("Recreate")
    RECREATE,
    @JsonProperty("InPlaceIfPossible")
    IN_PLACE_IF_POSSIBLE
  }
}
