package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Quantity;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Storage of the chain data, and its fate when the node is deleted. */
@ValidationRule(
    value = "!has(oldSelf.__import__) || has(self.__import__)",
    message = "import cannot be unset once configured")
@ValidationRule(
    value = "!has(self.from) || !has(self.__import__)",
    message = "from is for a claim that the operator makes: import has one already")
public record DataVolume(
    @JsonProperty("import")
        @JsonPropertyDescription(
            "Use an existing claim, which no other node may use. It is marked as this node's, and"
                + " never deleted.")
        Import importClaim,
    @JsonPropertyDescription(
            "Fate of the claim when the node is deleted: Delete or Retain. If unset, the "
                + "policy that was chosen when the operator created the claim: Retain for an "
                + "archive node and for a node with a signing key, else Delete. "
                + "status.dataVolume.onDelete shows it.")
        RetentionPolicy onDelete,
    @JsonPropertyDescription("The claim that the operator makes; not of an imported one.")
        Storage storage,
    @JsonPropertyDescription(
            "Source of the data of a new claim. A claim that already exists is used as it " + "is.")
        From from,
    @Size(max = 64)
        @JsonPropertyDescription(
            "UID of the claim whose data may be lost: the node's pod may be ended although its"
                + " claim or volume is being deleted, or a new claim be made although the old"
                + " volume still exists, or had what a validator has signed; or a signing key be"
                + " used without what it has signed there. Belongs to one node of a fleet.")
        String acceptDataLoss) {

  /**
   * Returns the volume without {@code acceptance}, which is about one node's data; null if nothing
   * else is set.
   */
  public static DataVolume withoutAcceptance(DataVolume volume) {
    if (volume == null || volume.acceptDataLoss() == null) {
      return volume;
    }
    var rest =
        new DataVolume(
            volume.importClaim(), volume.onDelete(), volume.storage(), volume.from(), null);
    return rest.equals(new DataVolume(null, null, null, null, null)) ? null : rest;
  }

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
          "!has(oldSelf.storageClassName) || (has(self.storageClassName) && self.storageClassName"
              + " == oldSelf.storageClassName)",
      message = "storageClassName is immutable: a claim keeps the class it was made with")
  public record Storage(
      @Size(max = 253)
          @Pattern(Patterns.DNS_SUBDOMAIN)
          @JsonPropertyDescription(
              "StorageClass of a new claim, immutable; the operator's setting for the mode if"
                  + " unset.")
          String storageClassName,
      @Size(max = 253)
          @Pattern(Patterns.DNS_SUBDOMAIN)
          @JsonPropertyDescription(
              "VolumeAttributesClass of the claim, such as its IOPS; it can be changed at any time"
                  + " (Kubernetes 1.34 and newer). Once unset, the claim keeps the one it has.")
          String volumeAttributesClassName,
      @JsonPropertyDescription("Size of the volume.") Resources resources,
      @JsonPropertyDescription(
              "Lets the volume grow by itself as it fills; the requested size is its minimum then.")
          AutoGrow autoGrow) {

    /** Resource requirements of a claim. */
    public record Resources(@JsonPropertyDescription("Requests of the claim.") Requests requests) {}

    /** Requests of a claim. */
    @SchemaCustomizer(value = Quantities.class, input = "storage")
    public record Requests(
        @JsonPropertyDescription(
                "Size of the volume; the operator's setting for the mode if unset. A larger one"
                    + " grows the volume, a smaller one is refused.")
            Quantity storage) {}

    /** Automatic expansion of a volume. */
    @SchemaCustomizer(value = Quantities.class, input = "maxSize")
    public record AutoGrow(
        @Min(50)
            @Max(90)
            @JsonPropertyDescription(
                "At how many percent it grows, before seid has no room left; needs the operator's"
                    + " SEI_PROMETHEUS_URL. If unset, the volume grows once seid has no room left.")
            Integer usedPercent,
        @Pattern(Patterns.GROWTH)
            @JsonPropertyDescription(
                "By how much, at most once in six hours: a size such as 500Gi, or a percentage"
                    + " of the present size; 20% if unset.")
            String increase,
        @Required
            @JsonPropertyDescription(
                "Up to which size. A requested size above it counts all the same.")
            Quantity maxSize) {

      /** Increase, also where the spec sets none. */
      public String increaseOrDefault() {
        return increase == null ? "20%" : increase;
      }
    }

    /** The size that is asked for. */
    public Optional<Quantity> size() {
      return Optional.ofNullable(resources).map(Resources::requests).map(Requests::storage);
    }
  }

  /** Source of the data of a new claim. */
  public record From(
      @Required @JsonPropertyDescription("A VolumeSnapshot of another node of the chain.")
          SnapshotSource volumeSnapshot) {}

  /** A VolumeSnapshot, by its name or as the newest one that fits. */
  @ValidationRule(
      value = "has(self.name) != has(self.selector)",
      message = "exactly one of name or selector must be set")
  public record SnapshotSource(
      @Size(min = 1, max = 253)
          @Pattern(Patterns.DNS_SUBDOMAIN)
          @JsonPropertyDescription("Name of a VolumeSnapshot in the node's namespace.")
          String name,
      @JsonPropertyDescription("The newest one with these labels that is ready and fits the node.")
          SnapshotSelector selector,
      @Size(min = 2, max = 20)
          @Pattern(Patterns.DURATION)
          @JsonPropertyDescription(
              "Maximum age of the snapshot, such as 24h or 1h30m; any age if unset.")
          String maxAge) {

    /** Maximum age of the snapshot; empty if any age will do. */
    public Optional<Duration> oldest() {
      return Optional.ofNullable(maxAge).map(text -> Duration.parse("PT" + text));
    }
  }

  /** Label selector for VolumeSnapshots. */
  public record SnapshotSelector(
      @JsonPropertyDescription("Labels it must have, all of them.") Map<String, String> matchLabels,
      @Size(max = 16) @JsonPropertyDescription("Further requirements on its labels.")
          List<LabelRequirement> matchExpressions) {}

  /** Requirement on one label. */
  public record LabelRequirement(
      @Required @Size(min = 1, max = 317) @JsonPropertyDescription("Key of the label.") String key,
      @Required @JsonPropertyDescription("Relation between the label's value and the values.")
          Operator operator,
      @Size(max = 64)
          @JsonPropertyDescription("Values of In and NotIn; unset for the other operators.")
          List<String> values) {}

  /** Relation between the value of a label and a list of values. */
  public enum Operator {
    @JsonProperty("In")
    IN,
    @JsonProperty("NotIn")
    NOT_IN,
    @JsonProperty("Exists")
    EXISTS,
    @JsonProperty("DoesNotExist")
    DOES_NOT_EXIST
  }

  /** Fate of the data when its owner is deleted. */
  public enum RetentionPolicy {
    @JsonProperty("Delete")
    DELETE,
    @JsonProperty("Retain")
    RETAIN
  }
}
