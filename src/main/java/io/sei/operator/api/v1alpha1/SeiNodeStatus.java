package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.sei.operator.api.schema.ListTypes;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;

/** What the operator observed of a node and where its work on it stands. */
@RecordBuilder
@SchemaCustomizer(value = ListTypes.class, input = "conditions=map:type,upgrades=map:name")
public record SeiNodeStatus(
    @JsonPropertyDescription("Generation of the spec this status was computed from.")
        Long observedGeneration,
    NodePhase phase,
    Instant phaseTransitionTime,
    @JsonPropertyDescription("The one reason among the conditions' that a person must know first.")
        String reason,
    @JsonPropertyDescription("Image of seid in the last pod that was observed to run its target.")
        String currentImage,
    @JsonPropertyDescription("Image of the sidecar in that pod.") String currentSidecarImage,
    @JsonPropertyDescription("What was learned of the sidecar in the node's pod.")
        SidecarStatus sidecar,
    List<Condition> conditions,
    @JsonPropertyDescription("Work in progress, or the failed plan that explains the phase.")
        TaskPlan plan,
    @JsonPropertyDescription("The last 5 finished plans, newest last.") List<String> planHistory,
    @JsonPropertyDescription(
            "P2P identity that the Secret of spec.validator.nodeKey comes to; unset without one.")
        String nodeId,
    @JsonPropertyDescription("Peers resolved from label sources, as nodeId@host:port, sorted.")
        List<String> resolvedPeers,
    @JsonPropertyDescription("The StatefulSet this node owns.") StatefulSetRef statefulSet,
    @JsonPropertyDescription(
            "UID of a StatefulSet that took the place of the node's own and is being deleted.")
        String replacing,
    @JsonPropertyDescription("Spec hash of the pod that was last observed to run its target.")
        String podSpecHash,
    @JsonPropertyDescription(
            "Spec hash of that pod as it would be with spec.image and without a hold; unset where"
                + " that is the same.")
        String podBaseHash,
    @JsonPropertyDescription("Upgrades that are listed or were applied, by height.")
        List<UpgradeStatus> upgrades,
    @JsonPropertyDescription("The image of an upgrade that is being pulled ahead, by a Job.")
        ImagePull imagePull,
    @JsonPropertyDescription("The snapshot that the node is stopped for; unset while it is not.")
        NodeStop stopped,
    @JsonPropertyDescription("What a pod made before the node was adopted stands for.")
        PodBaseline podBaseline,
    @JsonPropertyDescription(
            "UID of the claim that a validator has used, and that has its signing state.")
        String dataClaimUid,
    @JsonPropertyDescription(
            "Public key of the signing key that the next pod is started for, in base64. Recorded by"
                + " the plan that validated its Secret; seid does not start with another key.")
        String signingPublicKey,
    @JsonPropertyDescription("Where the node's data is.") NodeVolume dataVolume,
    @JsonPropertyDescription("The last reset of the node's data.") DataReset dataReset,
    @JsonPropertyDescription("What the node's claim was made from; unset if it was empty.")
        RestoredFrom restoredFrom,
    @JsonPropertyDescription("The configuration the node's sidecar was last given.")
        AppliedConfig config,
    @JsonPropertyDescription(
            "When the pod was first Ready. Seid has its state from then on, so that state sync is over.")
        Instant syncedAt,
    @JsonPropertyDescription("What the node's fleet has to know of seid; unset without a fleet.")
        SeidRun seid,
    @JsonPropertyDescription(
            "Since when a container has been in a crash loop, kept until it has run for ten minutes.")
        Instant crashLoopSince,
    @JsonPropertyDescription(
            "What would restart and why, asked for by the annotation sei.io/explain.")
        Explanation explain,
    @JsonPropertyDescription(
            "URLs inside the cluster, from the first time that the node is Running; only of full and"
                + " archive nodes. Whether anybody answers there is said by the condition Ready.")
        NodeEndpoint endpoint)
    implements SeiNodeStatusBuilder.With {

  /** The spec hash of the pod, whatever image an upgrade has given it since; may be null. */
  public String baseHash() {
    return podBaseHash == null ? podSpecHash : podBaseHash;
  }

  /** The value of {@code spec.dataResetGeneration} that was acted on last; 0 if none was. */
  public long resetGeneration() {
    return dataReset == null || dataReset.generation() == null ? 0 : dataReset.generation();
  }

  /** The status of a node nobody has looked at yet. */
  public static SeiNodeStatus empty() {
    return SeiNodeStatusBuilder.builder().conditions(List.of()).planHistory(null).build();
  }
}
