package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.AwaitCondition;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.AwaitNodesAtHeight;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.GovParamChange;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.GovSoftwareUpgrade;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.GovUpdateInstantiateConfig;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.GovVote;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.MarkReady;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.RestartSeid;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.Unjail;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.UpdateNodeImage;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Desired work of a task: kind, node and parameters. */
@RecordBuilder
@SchemaCustomizer(Sentences.class)
@SchemaCustomizer(TaskKinds.class)
@SchemaCustomizer(value = Bounds.class, input = "spec")
public record SeiNodeTaskSpec(
    @Required
        @ValidationRule(value = "self == oldSelf", message = "spec.kind is immutable")
        @JsonPropertyDescription("Kind of the task; the field of that name has the parameters.")
        NodeTaskKind kind,
    @Required
        @ValidationRule(
            value = "self == oldSelf",
            message = "spec.target is immutable; create another task")
        @JsonPropertyDescription("Node of the task.")
        NodeTaskTarget target,
    @Min(0)
        @JsonPropertyDescription(
            "A task that the sidecar has not finished after so long fails; 0, the default, is"
                + " never.")
        Integer timeoutSeconds,
    @Min(0)
        @JsonPropertyDescription(
            "A finished task is deleted after so long; never, if unset. The Go operator has no such"
                + " field.")
        Integer ttlSecondsAfterFinished,
    @JsonPropertyDescription("A proposal to upgrade the chain.")
        GovSoftwareUpgrade govSoftwareUpgrade,
    @JsonPropertyDescription("A vote on a proposal.") GovVote govVote,
    @JsonPropertyDescription("A proposal to change parameters of the chain.")
        GovParamChange govParamChange,
    @JsonPropertyDescription("A proposal that changes who may instantiate stored code.")
        GovUpdateInstantiateConfig govUpdateInstantiateConfig,
    @JsonPropertyDescription("Has a jailed validator take part again.") Unjail unjail,
    @JsonPropertyDescription("Waits for the node to come to a condition.")
        AwaitCondition awaitCondition,
    @JsonPropertyDescription("Waits for the node to come to a height.")
        AwaitNodesAtHeight awaitNodesAtHeight,
    @JsonPropertyDescription("Another image of seid.") UpdateNodeImage updateNodeImage,
    @JsonPropertyDescription("Ends seid, so that it starts again in its pod.")
        RestartSeid restartSeid,
    @JsonPropertyDescription("Waits until the sidecar lets seid start.") MarkReady markReady)
    implements SeiNodeTaskSpecBuilder.With {

  /** The parameters, whatever the kind; empty if none are there, as before there were rules. */
  public Optional<NodeTaskPayload> payload() {
    return Stream.<NodeTaskPayload>of(
            govSoftwareUpgrade,
            govVote,
            govParamChange,
            govUpdateInstantiateConfig,
            unjail,
            awaitCondition,
            awaitNodesAtHeight,
            updateNodeImage,
            restartSeid,
            markReady)
        .filter(Objects::nonNull)
        .findFirst();
  }
}
