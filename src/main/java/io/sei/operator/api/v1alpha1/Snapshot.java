package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;

/** Source of a new node's state; exactly one of {@code s3} and {@code stateSync} is set. */
@ValidationRule(
    value = "(has(self.s3) ? 1 : 0) + (has(self.stateSync) ? 1 : 0) == 1",
    message = "exactly one of s3 or stateSync must be set")
@SchemaCustomizer(value = ListTypes.class, input = "rpcServers=set")
public record Snapshot(
    @JsonPropertyDescription("Restore a snapshot from the bucket SEI_SNAPSHOT_BUCKET.") S3 s3,
    @JsonPropertyDescription("Get the state from peers.") StateSync stateSync,
    @Pattern(Patterns.GO_DURATION)
        @JsonPropertyDescription(
            "Maximum age of a trusted block, such as 168h. seid v6.7.3 and newer ignore "
                + "it: 112h on pacific-1, atlantic-2 and arctic-1.")
        String trustPeriod,
    @JsonPropertyDescription("Blocks fetched from before the synced height.") Long backfillBlocks,
    @Size(max = 512)
        @ValidationRule(
            value = "self == '' || self.matches('" + Patterns.IMAGE + "')",
            message = Patterns.IMAGE_MESSAGE)
        @JsonPropertyDescription(
            "Image of seid that first replays up to the target height of s3, in a Job; the node"
                + " starts with its own image after that.")
        String bootstrapImage,
    @Size(min = 2, max = 16)
        @JsonPropertyDescription(
            "Nodes (host:port) whose RPC state sync asks for a trusted block; found among the peers"
                + " if unset. Needs sidecar v0.0.55.")
        List<@Size(max = 512) @Pattern(Patterns.ADDRESS) String> rpcServers) {

  /** One whose witnesses are found. */
  public Snapshot(
      S3 s3, StateSync stateSync, String trustPeriod, Long backfillBlocks, String bootstrapImage) {
    this(s3, stateSync, trustPeriod, backfillBlocks, bootstrapImage, null);
  }

  /** A snapshot in S3 taken at or below a height. */
  public record S3(
      @Required
          @Min(1)
          @JsonPropertyDescription("The newest snapshot at or below this height is taken.")
          Long targetHeight) {}

  /** State sync from peers. */
  public record StateSync() {}
}
