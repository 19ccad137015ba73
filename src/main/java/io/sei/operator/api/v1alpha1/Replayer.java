package io.sei.operator.api.v1alpha1;

import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** A node that replays blocks from a snapshot, for comparison. */
public record Replayer(@Required Snapshot snapshot, ResultExport resultExport) {

  /** Where replay results go. */
  public record ResultExport(ShadowResult shadowResult) {}

  /** Comparison against a canonical node's RPC. */
  public record ShadowResult(@Required @Size(min = 1) String canonicalRpc) {}
}
