package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.ValidationRule;
import io.sei.operator.api.schema.Bounds;
import io.sei.operator.api.schema.Sentences;
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

/** What is to be done, at which node, with which parameters. */
@ValidationRule(
    value =
        "[has(self.govSoftwareUpgrade), has(self.govVote), has(self.govParamChange),"
            + " has(self.govUpdateInstantiateConfig), has(self.unjail), has(self.awaitCondition),"
            + " has(self.awaitNodesAtHeight), has(self.updateNodeImage), has(self.restartSeid),"
            + " has(self.markReady)].filter(set, set).size() == 1",
    message =
        "exactly one of govSoftwareUpgrade, govVote, govParamChange, govUpdateInstantiateConfig,"
            + " unjail, awaitCondition, awaitNodesAtHeight, updateNodeImage, restartSeid or"
            + " markReady must be set")
@ValidationRule(
    value = "self.kind != 'GovSoftwareUpgrade' || has(self.govSoftwareUpgrade)",
    message = "spec.govSoftwareUpgrade is required when kind=GovSoftwareUpgrade")
@ValidationRule(
    value = "self.kind != 'GovVote' || has(self.govVote)",
    message = "spec.govVote is required when kind=GovVote")
@ValidationRule(
    value = "self.kind != 'GovParamChange' || has(self.govParamChange)",
    message = "spec.govParamChange is required when kind=GovParamChange")
@ValidationRule(
    value = "self.kind != 'GovUpdateInstantiateConfig' || has(self.govUpdateInstantiateConfig)",
    message = "spec.govUpdateInstantiateConfig is required when kind=GovUpdateInstantiateConfig")
@ValidationRule(
    value = "self.kind != 'Unjail' || has(self.unjail)",
    message = "spec.unjail is required when kind=Unjail")
@ValidationRule(
    value = "self.kind != 'AwaitCondition' || has(self.awaitCondition)",
    message = "spec.awaitCondition is required when kind=AwaitCondition")
@ValidationRule(
    value = "self.kind != 'AwaitNodesAtHeight' || has(self.awaitNodesAtHeight)",
    message = "spec.awaitNodesAtHeight is required when kind=AwaitNodesAtHeight")
@ValidationRule(
    value = "self.kind != 'UpdateNodeImage' || has(self.updateNodeImage)",
    message = "spec.updateNodeImage is required when kind=UpdateNodeImage")
@ValidationRule(
    value = "self.kind != 'RestartSeid' || has(self.restartSeid)",
    message = "spec.restartSeid is required when kind=RestartSeid")
@ValidationRule(
    value = "self.kind != 'MarkReady' || has(self.markReady)",
    message = "spec.markReady is required when kind=MarkReady")
@RecordBuilder
@SchemaCustomizer(Sentences.class)
@SchemaCustomizer(value = Bounds.class, input = "spec")
public record SeiNodeTaskSpec(
    @Required
        @ValidationRule(value = "self == oldSelf", message = "spec.kind is immutable")
        @JsonPropertyDescription("What is done; the field of that name has the parameters.")
        NodeTaskKind kind,
    @Required
        @ValidationRule(
            value = "self == oldSelf",
            message = "spec.target is immutable; create another task")
        @JsonPropertyDescription("Where it is done.")
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
    @ValidationRule(
            value = "self == oldSelf",
            message = "spec.govSoftwareUpgrade is immutable; create another task")
        @JsonPropertyDescription("A proposal to upgrade the chain.")
        GovSoftwareUpgrade govSoftwareUpgrade,
    @ValidationRule(
            value = "self == oldSelf",
            message = "spec.govVote is immutable; create another task")
        @JsonPropertyDescription("A vote on a proposal.")
        GovVote govVote,
    @ValidationRule(
            value = "self == oldSelf",
            message = "spec.govParamChange is immutable; create another task")
        @JsonPropertyDescription("A proposal to change parameters of the chain.")
        GovParamChange govParamChange,
    @ValidationRule(
            value = "self == oldSelf",
            message = "spec.govUpdateInstantiateConfig is immutable; create another task")
        @JsonPropertyDescription("A proposal that says who may instantiate stored code.")
        GovUpdateInstantiateConfig govUpdateInstantiateConfig,
    @ValidationRule(
            value = "self == oldSelf",
            message = "spec.unjail is immutable; create another task")
        @JsonPropertyDescription("Has a jailed validator take part again.")
        Unjail unjail,
    @ValidationRule(
            value = "self == oldSelf",
            message = "spec.awaitCondition is immutable; create another task")
        @JsonPropertyDescription("Waits for the node to come to a condition.")
        AwaitCondition awaitCondition,
    @ValidationRule(
            value = "self == oldSelf",
            message = "spec.awaitNodesAtHeight is immutable; create another task")
        @JsonPropertyDescription("Waits for the node to come to a height.")
        AwaitNodesAtHeight awaitNodesAtHeight,
    @ValidationRule(
            value = "self == oldSelf",
            message = "spec.updateNodeImage is immutable; create another task")
        @JsonPropertyDescription("Another image of seid.")
        UpdateNodeImage updateNodeImage,
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
