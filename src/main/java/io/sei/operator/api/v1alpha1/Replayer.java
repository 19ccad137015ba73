package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** A node that replays blocks from a snapshot, for comparison. */
public record Replayer(
    @Required @JsonPropertyDescription("Snapshot at which the replay begins; must be in S3.")
        Snapshot snapshot,
    @JsonPropertyDescription("Destination of the results.") ResultExport resultExport) {

  /** Destination of replay results. */
  public record ResultExport(
      @JsonPropertyDescription("Compare with another node.") ShadowResult shadowResult) {}

  /** Comparison against a canonical node's RPC. */
  public record ShadowResult(
      @Required
          @Size(min = 1, max = 2048)
          @JsonPropertyDescription("RPC URL of the node to compare with.")
          String canonicalRpc) {}
}
