package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Required;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A rollout under way.
 *
 * @param configuration digest of the configuration that the nodes are being given where only that
 *     changed; such a rollout has no nodes, and is shown only: {@code status.configuration} is its
 *     record
 */
@RecordBuilder
@SchemaCustomizer(value = ListTypes.class, input = "nodes=map:name")
public record Rollout(
    @Required @JsonPropertyDescription("Hash of the template that the nodes are brought to.")
        String targetHash,
    @Required Instant startedAt,
    List<RolloutNode> nodes,
    @JsonPropertyDescription(
            "Digest of the configuration that the nodes are being given; set only where the rest of"
                + " the template stays as it was.")
        String configuration)
    implements RolloutBuilder.With {

  /** A rollout of a template. */
  public Rollout(String targetHash, Instant startedAt, List<RolloutNode> nodes) {
    this(targetHash, startedAt, nodes, null);
  }

  /** A rollout of a configuration alone. */
  public static Rollout ofConfiguration(String digest, String templateHash, Instant startedAt) {
    return new Rollout(templateHash, startedAt, null, digest);
  }

  /** State of one node in a rollout. */
  @RecordBuilder
  public record RolloutNode(
      @Required String name,
      @JsonPropertyDescription("Time at which the node was admitted; unset before.")
          Instant admittedAt,
      @JsonPropertyDescription("Whether the node was Ready before, or had just ceased to be.")
          Boolean wasAvailable,
      @JsonPropertyDescription("Why the node was not Ready when it was admitted; unset if it was.")
          String cause,
      @JsonPropertyDescription(
              "Cause for which the node stalled on the new template, other than one of its machine or"
                  + " network; unset again once the node is Ready with that template.")
          String stalledOn)
      implements RolloutRolloutNodeBuilder.With {

    /** A node that was Ready when it was admitted, or is not admitted, and has not stalled. */
    public RolloutNode(String name, Instant admittedAt, Boolean wasAvailable) {
      this(name, admittedAt, wasAvailable, null, null);
    }
  }

  /** Returns the state of a node in the rollout. */
  public Optional<RolloutNode> node(String name) {
    return nodes == null
        ? Optional.empty()
        : nodes.stream().filter(node -> node != null && name.equals(node.name())).findFirst();
  }

  /** Returns whether the node of a name is admitted. */
  public boolean isAdmitted(String name) {
    return node(name).map(RolloutNode::admittedAt).isPresent();
  }
}
