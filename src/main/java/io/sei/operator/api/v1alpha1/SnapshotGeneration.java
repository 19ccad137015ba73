package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;

/** Snapshots this node produces for others. */
public record SnapshotGeneration(
    @JsonPropertyDescription("State-sync snapshots.") Tendermint tendermint) {

  /** Tendermint state-sync snapshots; {@code publish} present means they are uploaded. */
  public record Tendermint(
      @Required
          @Min(1)
          @JsonPropertyDescription("Number of snapshots to keep; at least 2 to publish them.")
          Integer keepRecent,
      @JsonPropertyDescription("Upload snapshots to SEI_SNAPSHOT_BUCKET.") Publish publish) {}

  /** Presence switches publishing on. */
  public record Publish() {}
}
