package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import java.util.List;

/** Which nodes of a fleet may have the configuration that the template asks for. */
public record FleetConfiguration(
    @Required
        @JsonPropertyDescription(
            "Digest of the overrides, peers and configValues that the template asks for.")
        String hash,
    @JsonPropertyDescription(
            "Hash of the template whose nodes are given it; those of an earlier one keep theirs.")
        String templateHash,
    @JsonPropertyDescription(
            "The nodes that were given it so far, one after the other; unset once all were.")
        List<String> nodes,
    @JsonPropertyDescription(
            "The node that was Ready when it was given it, and has to be so again before the next"
                + " one is.")
        String awaited,
    @JsonPropertyDescription(
            "The node and the cause for which onStall: Rollback gives all nodes the configuration"
                + " from before it again, which nodes then counts; unset once the template asks for"
                + " another one.")
        String rolledBack,
    @JsonPropertyDescription(
            "The externalAddress that the template sets for all nodes or, until it is taken from"
                + " the last of them, did set; an address of a node's own is another one.")
        String externalAddress) {

  /** Records the node that the change waits for; null if it waits for none. */
  public FleetConfiguration withAwaited(String node) {
    return new FleetConfiguration(hash, templateHash, nodes, node, rolledBack, externalAddress);
  }
}
