package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.kubernetes.model.annotation.LabelSelector;
import io.fabric8.kubernetes.model.annotation.StatusReplicas;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Observed state of a fleet and of its rollout. */
@RecordBuilder
@SchemaCustomizer(
    value = ListTypes.class,
    input = "conditions=map:type,nodes=map:name,perPodServices=map:name,upgrades=map:name")
@SchemaCustomizer(value = Bounds.class, input = "status")
public record SeiNodeDeploymentStatus(
    @JsonPropertyDescription("Generation of the spec this status was computed from.")
        Long observedGeneration,
    @JsonPropertyDescription("Hash of the last template that every node was brought to.")
        @JsonProperty("templateHash")
        String completedTemplateHash,
    @JsonPropertyDescription("Hash of a template that was rolled back; it is not tried again.")
        String failedTemplateHash,
    FleetPhase phase,
    @JsonPropertyDescription("The one reason among the conditions' that a person must know first.")
        String reason,
    @JsonPropertyDescription("readyReplicas of the spec's replicas, such as 2/3.") String ready,
    @JsonPropertyDescription(
            "Nodes that are Ready and have caught up with their chain, of the spec's replicas, such"
                + " as 2/3; unset while no node has answered over its RPC.")
        String caughtUp,
    @JsonPropertyDescription("Images of seid that the nodes run, separated by commas.")
        String image,
    @JsonPropertyDescription("Role of the nodes: full, archive, replayer, seed or validator.")
        String mode,
    @StatusReplicas Integer replicas,
    @LabelSelector
        @JsonPropertyDescription(
            "Selects the pods of the nodes, for autoscalers: they read it from the subresource"
                + " scale.")
        String selector,
    Integer readyReplicas,
    @JsonPropertyDescription("Nodes whose pod runs what the spec's template asks for.")
        Integer updatedReplicas,
    @JsonPropertyDescription("updatedReplicas of the spec's replicas, such as 2/3.") String updated,
    List<NodeSummary> nodes,
    @JsonPropertyDescription("Names of the nodes there are, sorted.") List<String> incumbentNodes,
    TaskPlan plan,
    @JsonPropertyDescription("The rollout in progress; unset while there is none.") Rollout rollout,
    @JsonPropertyDescription("A rollout that was under way when the deployment was paused.")
        Rollout pausedRollout,
    @JsonPropertyDescription(
            "Whether rollouts were paused when this status was written, alone or with the nodes.")
        Boolean rolloutsPaused,
    @JsonPropertyDescription(
            "Progress of a configuration that changed without a field that restarts a pod.")
        FleetConfiguration configuration,
    @JsonPropertyDescription(
            "Forecast of restarts, their order and their reasons, requested by the "
                + "annotation sei.io/explain.")
        Explanation explain,
    @JsonPropertyDescription("The Service in front of all Ready nodes; unset while there is none.")
        InternalService internalService,
    @JsonPropertyDescription("The headless Services of the nodes, by ordinal.")
        List<PerPodService> perPodServices,
    @JsonPropertyDescription("URLs inside the cluster, made of internalService and perPodServices.")
        Endpoints endpoints,
    @JsonPropertyDescription("The upgrades that the template lists, by height.")
        List<FleetUpgrade> upgrades,
    @JsonPropertyDescription(
            "State of the chain when this status was written; less than a day before an "
                + "upgrade, at most five minutes old.")
        FleetChain chain,
    @JsonPropertyDescription("The snapshots of the nodes' volumes; unset without a schedule.")
        FleetSnapshots snapshots,
    @JsonPropertyDescription("The genesis ceremony, recorded before anything of it is made.")
        FleetGenesis genesis,
    @JsonPropertyDescription(
            "Progress of the fleet as last decided; the condition Stalled has the reason.")
        Progress progress,
    List<Condition> conditions)
    implements SeiNodeDeploymentStatusBuilder.With, HasConditions {

  /** Adds whether rollouts are paused, which the Go operator stores only in a condition. */
  public SeiNodeDeploymentStatus seeded() {
    return rolloutsPaused != null
        ? this
        : condition(FleetConditionType.PAUSED)
            .map(paused -> withRolloutsPaused(paused.isTrue()))
            .orElse(this);
  }

  /** Time at which the fleet became stalled; empty if it is not. */
  public Optional<Instant> stalledSince() {
    return Optional.ofNullable(progress).filter(Progress::isStalled).map(Progress::since);
  }

  /** The snapshot in progress. */
  public Optional<FleetSnapshots.Run> runningSnapshot() {
    return Optional.ofNullable(snapshots).map(FleetSnapshots::active);
  }

  /** The status of a deployment before its first reconcile. */
  public static SeiNodeDeploymentStatus empty() {
    return SeiNodeDeploymentStatusBuilder.builder().build();
  }
}
