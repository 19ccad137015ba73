package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import java.util.List;
import java.util.Map;

/** One place to find peers in; exactly one of the three is set. */
@ValidationRule(
    value =
        "(has(self.ec2Tags) ? 1 : 0) + (has(self.static) ? 1 : 0) + (has(self.label) ? 1 : 0) == 1",
    message = "exactly one of ec2Tags, static, or label must be set")
public record PeerSource(
    @JsonPropertyDescription(
            "EC2 instances, found by the sidecar, which must be older than v0.0.57.")
        Ec2Tags ec2Tags,
    @JsonProperty("static") @JsonPropertyDescription("Fixed addresses.") StaticPeers staticPeers,
    @JsonPropertyDescription("Other SeiNodes.") LabelPeers label) {

  /** EC2 instances of a region that carry all these tags. */
  public record Ec2Tags(
      @Required @Size(min = 1) @JsonPropertyDescription("AWS region.") String region,
      @Required @Size(min = 1) @JsonPropertyDescription("Tags an instance must have, all of them.")
          Map<String, String> tags) {}

  /** Fixed addresses, each {@code nodeId@host:port}. */
  public record StaticPeers(
      @Required @Size(min = 1, max = 1000) @JsonPropertyDescription("Each nodeId@host:port.")
          List<@Pattern(Patterns.PEER) String> addresses) {}

  /** Other SeiNodes with these labels, in {@code namespace} or the node's own. */
  public record LabelPeers(
      @Required @Size(min = 1) @JsonPropertyDescription("Labels a node must have, all of them.")
          Map<String, String> selector,
      @JsonPropertyDescription(
              "Namespace of these nodes; the node's own if unset. Nodes of another "
                  + "namespace need the label sei.io/peers-from.")
          String namespace) {}
}
