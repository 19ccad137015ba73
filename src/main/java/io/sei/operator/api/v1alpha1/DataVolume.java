package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/** Where the chain data lives and what becomes of it. */
@ValidationRule(
    value = "!has(oldSelf.__import__) || has(self.__import__)",
    message = "import cannot be unset once configured")
public record DataVolume(
    @JsonProperty("import")
        @JsonPropertyDescription(
            "Use an existing claim, which no other node may use. It is marked as this node's, and"
                + " never deleted.")
        Import importClaim,
    @JsonPropertyDescription(
            "What happens to the claim when the node is deleted: Delete (if unset) or Retain.")
        RetentionPolicy onDelete) {

  /** An existing PersistentVolumeClaim. */
  public record Import(
      @Required
          @Size(min = 1, max = 253)
          @Pattern(Patterns.DNS_LABEL)
          @JsonPropertyDescription("Name of a claim in the node's namespace.")
          @ValidationRule(value = "self == oldSelf", message = "pvcName is immutable")
          String pvcName) {}

  /** What happens to data when its owner is deleted. */
  public enum RetentionPolicy {
    @JsonProperty("Delete")
    DELETE,
    @JsonProperty("Retain")
    RETAIN
  }
}
