package io.sei.operator.api.v1alpha1;

import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;

/** Snapshots this node produces for others. */
public record SnapshotGeneration(Tendermint tendermint) {

  /** Tendermint state-sync snapshots; {@code publish} present means they are uploaded. */
  public record Tendermint(@Required @Min(1) Integer keepRecent, Publish publish) {}

  /** Presence switches publishing on. */
  public record Publish() {}
}
