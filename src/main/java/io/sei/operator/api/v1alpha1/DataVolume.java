package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.schema.Quantities;
import java.util.Optional;

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
        RetentionPolicy onDelete,
    @JsonPropertyDescription("The claim that the operator makes; not of an imported one.")
        Storage storage) {

  /** An existing PersistentVolumeClaim. */
  public record Import(
      @Required
          @Size(min = 1, max = 253)
          @Pattern(Patterns.DNS_LABEL)
          @JsonPropertyDescription("Name of a claim in the node's namespace.")
          @ValidationRule(value = "self == oldSelf", message = "pvcName is immutable")
          String pvcName) {}

  /** Class and size of a claim. */
  @ValidationRule(
      value =
          "!has(oldSelf.storageClassName) || (has(self.storageClassName) && self.storageClassName =="
              + " oldSelf.storageClassName)",
      message = "storageClassName is immutable: a claim keeps the class it was made with")
  public record Storage(
      @Size(max = 253)
          @Pattern(Patterns.DNS_SUBDOMAIN)
          @JsonPropertyDescription(
              "StorageClass of a new claim, immutable; the operator's setting for the mode if"
                  + " unset.")
          String storageClassName,
      @JsonPropertyDescription("How large the volume is.") Resources resources) {

    /** What is asked of a claim. */
    public record Resources(
        @JsonPropertyDescription("What is asked of the claim.") Requests requests) {}

    /** How much is asked of a claim. */
    @SchemaCustomizer(value = Quantities.class, input = "storage")
    public record Requests(
        @JsonPropertyDescription(
                "Size of the volume; the operator's setting for the mode if unset. A larger one"
                    + " grows the volume, a smaller one is refused.")
            Quantity storage) {}

    /** The size that is asked for. */
    public Optional<Quantity> size() {
      return Optional.ofNullable(resources).map(Resources::requests).map(Requests::storage);
    }
  }

  /** What happens to data when its owner is deleted. */
  public enum RetentionPolicy {
    @JsonProperty("Delete")
    DELETE,
    @JsonProperty("Retain")
    RETAIN
  }
}
