package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.soabase.recordbuilder.core.RecordBuilder;

/** Policy for updates of a running node. */
@RecordBuilder
public record UpdatePolicy(
    @JsonPropertyDescription(
            "Method by which the pod gets other images and resources: Recreate (if unset) "
                + "deletes it, and a new one is made; InPlaceIfPossible changes the running pod "
                + "where nothing else differs, so that volume, address and place stay, and "
                + "deletes it where other fields differ. Changing the policy restarts nothing. "
                + "SEI_UPDATE_PODS_IN_PLACE of the operator changes the default.")
        OfPod pod,
    @JsonPropertyDescription(
            "Time at which seid gets a changed configuration: Restart (if unset) ends it "
                + "once the files are written, so that it starts with them in the same pod, or "
                + "replaces the pod if the sidecar is older than v0.0.56; "
                + "OnNextStart lets it run, and the condition RestartPending names the changes. "
                + "Peers that are resolved again wait for the next start either way. "
                + "SEI_CONFIGURE_ON_NEXT_START of the operator changes the default.")
        OfConfig config)
    implements UpdatePolicyBuilder.With {

  /** Method by which a pod gets other images and resources. */
  public enum OfPod {
    @JsonProperty("Recreate")
    RECREATE,
    @JsonProperty("InPlaceIfPossible")
    IN_PLACE_IF_POSSIBLE
  }

  /** Time at which seid gets another configuration. */
  public enum OfConfig {
    @JsonProperty("Restart")
    RESTART,
    @JsonProperty("OnNextStart")
    ON_NEXT_START
  }
}
