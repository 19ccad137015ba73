package io.sei.operator.api.v1alpha1;

import static io.sei.operator.api.v1alpha1.Lives.Life.DATA;
import static io.sei.operator.api.v1alpha1.Lives.Life.NODE;
import static io.sei.operator.api.v1alpha1.Lives.Life.POD;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Observed state of a node and of the operator's work on it. */
@RecordBuilder
@SchemaCustomizer(value = ListTypes.class, input = "conditions=map:type,upgrades=map:name")
@SchemaCustomizer(value = Bounds.class, input = "status")
public record SeiNodeStatus(
    @Lives(NODE) @JsonPropertyDescription("Generation of the spec this status was computed from.")
        Long observedGeneration,
    @Lives(DATA) NodePhase phase,
    @Lives(NODE) Instant phaseTransitionTime,
    @Lives(NODE)
        @JsonPropertyDescription(
            "The one reason among the conditions' that a person must know first.")
        String reason,
    @Lives(NODE)
        @JsonPropertyDescription("Role of the node: full, archive, replayer, seed or validator.")
        String mode,
    @Lives(POD)
        @JsonPropertyDescription(
            "Image of seid in the last pod that was observed to run its target.")
        String currentImage,
    @Lives(POD) @JsonPropertyDescription("Image of the sidecar in that pod.")
        String currentSidecarImage,
    @Lives(POD) @JsonPropertyDescription("Abilities of the sidecar in the node's pod.")
        SidecarStatus sidecar,
    @Lives(NODE) List<Condition> conditions,
    @Lives(NODE)
        @JsonPropertyDescription(
            "Progress of the node as last decided; the condition Stalled has the reason.")
        Progress progress,
    @Lives(NODE)
        @JsonPropertyDescription("Time since which the node is Ready; unset while it is not.")
        Instant readySince,
    @Lives(NODE)
        @JsonPropertyDescription("Time since which the node is not Ready; unset while it is.")
        Instant unreadySince,
    @Lives(NODE)
        @JsonPropertyDescription(
            "Time since which the condition Paused is True; unset while it is not.")
        Instant pausedSince,
    @Lives(NODE)
        @JsonPropertyDescription(
            "Time since which the condition Paused is not True; unset while it is.")
        Instant unpausedSince,
    @Lives(NODE)
        @JsonPropertyDescription(
            "Time at which the last update was complete; unset while another one is in "
                + "progress or has failed.")
        Instant updatedAt,
    @Lives(DATA)
        @JsonPropertyDescription("Work in progress, or the failed plan that explains the phase.")
        TaskPlan plan,
    @Lives(NODE) @JsonPropertyDescription("The last 5 finished plans, newest last.")
        List<String> planHistory,
    @Lives(NODE)
        @JsonPropertyDescription(
            "P2P node ID derived from spec.validator.nodeKey; unset without one.")
        String nodeId,
    @Lives(DATA)
        @JsonPropertyDescription("Peers resolved from label sources, as nodeId@host:port, sorted.")
        List<String> resolvedPeers,
    @Lives(NODE) @JsonPropertyDescription("The StatefulSet this node owns.")
        StatefulSetRef statefulSet,
    @Lives(NODE)
        @JsonPropertyDescription(
            "UID of a StatefulSet that took the place of the node's own and is being deleted.")
        String replacing,
    @Lives(POD)
        @JsonPropertyDescription("Spec hash of the pod that was last observed to run its target.")
        String podSpecHash,
    @Lives(POD)
        @JsonPropertyDescription(
            "Spec hash of that pod as it would be with spec.image and without a hold; unset where"
                + " that is the same.")
        String podBaseHash,
    @Lives(DATA) @JsonPropertyDescription("Upgrades that are listed or were applied, by height.")
        List<UpgradeStatus> upgrades,
    @Lives(POD)
        @JsonPropertyDescription(
            "The snapshot that the node is stopped for; unset while it is not.")
        NodeStop stopped,
    @Lives(POD)
        @JsonPropertyDescription("Baseline of a pod that was created before the node was adopted.")
        PodBaseline podBaseline,
    @Lives(POD)
        @JsonPropertyDescription(
            "The last update of the pod, where spec.updatePolicy.pod is InPlaceIfPossible.")
        PodUpdate podUpdate,
    @Lives(DATA)
        @JsonPropertyDescription(
            "UID of the claim that a validator has used, and that has its signing state.")
        String dataClaimUid,
    @Lives(NODE)
        @JsonPropertyDescription(
            "Public key of the signing key that the next pod is started for, in base64. Recorded by"
                + " the plan that validated its Secret; seid does not start with another key.")
        String signingPublicKey,
    @Lives(NODE)
        @JsonPropertyDescription(
            "The node's hold on its signing key: no other node of the namespace starts with it."
                + " Unset while it has none.")
        SigningKeyHold signingKey,
    @Lives(NODE)
        @JsonPropertyDescription(
            "The node's copy of the SeiSigningKey of its key; unset while it has none.")
        SigningRecord signingRecord,
    @Lives(NODE)
        @JsonPropertyDescription(
            "Last copy of spec.validator.signingKeyTransferTo to the SeiSigningKey.")
        SigningKeyTransfer signingKeyTransferTo,
    @Lives(DATA)
        @JsonPropertyDescription(
            "The key that a validator has signed with on this data; unset before it was Ready.")
        OwnSignatures ownSignatures,
    @Lives(NODE)
        @JsonPropertyDescription(
            "That something else signs with a validator's key: seid is held until sei.io/retry has"
                + " a new value. Unset if nothing was found.")
        SigningElsewhere signingElsewhere,
    @Lives(DATA) @JsonPropertyDescription("Volume of the node's data.") NodeVolume dataVolume,
    @Lives(NODE) @JsonPropertyDescription("The last reset of the node's data.") DataReset dataReset,
    @Lives(DATA)
        @JsonPropertyDescription(
            "Snapshot from which the node's claim was made; unset if it was empty.")
        RestoredFrom restoredFrom,
    @Lives(DATA) @JsonPropertyDescription("The configuration the node's sidecar was last given.")
        AppliedConfig config,
    @Lives(POD)
        @JsonPropertyDescription(
            "The run of seid that was under way when its configuration changed; unset once another"
                + " one has begun.")
        UnreadConfig unreadConfig,
    @Lives(POD)
        @JsonPropertyDescription(
            "ID of the last run of seid that the sidecar was asked to end, or that ended before the"
                + " configuration was corrected: its end is not reported any more.")
        String endedRun,
    @Lives(NODE)
        @JsonPropertyDescription(
            "The last value of the annotation sei.io/seid-restart that was acted on.")
        String seidRestart,
    @Lives(DATA)
        @JsonPropertyDescription(
            "Time at which the pod was first Ready. Seid has its state from then on, so "
                + "that state sync is over.")
        Instant syncedAt,
    @Lives(POD)
        @JsonPropertyDescription(
            "State of seid that the node's fleet needs; unset without a fleet.")
        SeidRun seid,
    @Lives(POD)
        @JsonPropertyDescription(
            "The last start of seid in the pod, until the pod is Ready; unset where it took a"
                + " moment.")
        SeidStart start,
    @Lives(POD)
        @JsonPropertyDescription(
            "Time since which a container has been in a crash loop, kept until it has run "
                + "for ten minutes.")
        Instant crashLoopSince,
    @Lives(NODE)
        @JsonPropertyDescription(
            "Forecast of restarts and their reasons, requested by the annotation "
                + "sei.io/explain.")
        Explanation explain,
    @Lives(DATA)
        @JsonPropertyDescription(
            "URLs inside the cluster, from the first time that the node is Running; only "
                + "of full and archive nodes. The condition Ready shows whether they answer.")
        NodeEndpoint endpoint)
    implements SeiNodeStatusBuilder.With, HasConditions {

  /** Adds the end of the last update, which the Go operator stores only in a condition. */
  public SeiNodeStatus seeded() {
    return updatedAt != null
        ? this
        : condition(NodeConditionType.NODE_UPDATE_IN_PROGRESS)
            .filter(update -> update.isFor(NodeReason.UPDATE_COMPLETE))
            .map(update -> withUpdatedAt(update.lastTransitionTime()))
            .orElse(this);
  }

  /** The status of a node that was found Ready or not. */
  public SeiNodeStatus withReadiness(boolean ready, Instant now) {
    return with(
        builder ->
            builder
                .readySince(ready ? since(readySince, now) : null)
                .unreadySince(ready ? null : since(unreadySince, now)));
  }

  /** The status of a node that was found paused, and without a pod, or not. */
  public SeiNodeStatus withPaused(boolean paused, Instant now) {
    return with(
        builder ->
            builder
                .pausedSince(paused ? since(pausedSince, now) : null)
                .unpausedSince(paused ? null : since(unpausedSince, now)));
  }

  /** The status of a node whose last update is complete or not. */
  public SeiNodeStatus withUpdated(boolean complete, Instant now) {
    return withUpdatedAt(complete ? since(updatedAt, now) : null);
  }

  /** Keeps the time of an earlier beginning, unless it is in the future. */
  private static Instant since(Instant known, Instant now) {
    return known == null || (now != null && known.isAfter(now)) ? now : known;
  }

  /** Time at which the node last became, or ceased to be, up to date; empty if unknown. */
  public Optional<Instant> upToDateChangedAt() {
    return condition(NodeConditionType.UP_TO_DATE).map(Condition::lastTransitionTime);
  }

  /** Time at which the node was last paused or resumed; empty if unknown. */
  public Optional<Instant> pausedChangedAt() {
    return Optional.ofNullable(pausedSince == null ? unpausedSince : pausedSince);
  }

  /**
   * Returns whether a halt at an upgrade height is what the chain asks for: no plan is active, and
   * it is not that of an image which was to end an earlier halt.
   */
  public boolean mayHaltByDesign() {
    boolean isUnreadySinceUpdate =
        unreadySince != null && updatedAt != null && !unreadySince.isAfter(updatedAt);
    return (plan == null || !plan.isActive()) && !isUnreadySinceUpdate;
  }

  /** Time at which the node became stalled; empty if it is not. */
  public Optional<Instant> stalledSince() {
    return Optional.ofNullable(progress).filter(Progress::isStalled).map(Progress::since);
  }

  /** The spec hash of the pod, whatever image an upgrade has given it since; may be null. */
  public String baseHash() {
    return podBaseHash == null ? podSpecHash : podBaseHash;
  }

  /** The value of {@code spec.dataResetGeneration} that was acted on last; 0 if none was. */
  public long resetGeneration() {
    return dataReset == null || dataReset.generation() == null ? 0 : dataReset.generation();
  }

  /** Returns whether data of the node was wiped, or is about to be. */
  public boolean hasWipedData() {
    return dataReset != null && dataReset.claimUid() != null;
  }

  /** Returns whether the node is past the height of an upgrade that the chain does not plan. */
  public boolean hasPassed(String upgrade, Long height) {
    return Stream.ofNullable(upgrades)
        .flatMap(List::stream)
        .filter(UpgradeStatus::isPassed)
        .anyMatch(record -> upgrade.equals(record.name()) && height.equals(record.height()));
  }

  /** Returns whether the data on the claim with this uid was wiped, or is about to be. */
  public boolean hasWiped(String claimUid) {
    return hasWipedData() && dataReset.claimUid().equals(claimUid);
  }

  /** Returns whether the data is about to be wiped, or was, and the node has not run since. */
  public boolean awaitsNewData() {
    return hasWipedData() && dataReset.completedAt() == null;
  }

  /** Returns a copy in which wiped data of one claim, if any, is that of another. */
  public SeiNodeStatus withWiped(String claimUid, String instead) {
    return hasWiped(claimUid) ? withDataReset(dataReset.withClaimUid(instead)) : this;
  }

  /** Returns what remains valid for another volume, none of which was wiped. */
  public SeiNodeStatus withoutVolume() {
    SeiNodeStatus left = withoutData();
    return hasWipedData() ? left.withWiped(dataReset.claimUid(), null) : left;
  }

  /** Returns what remains valid for other data: values that live as long as the node. */
  public SeiNodeStatus withoutData() {
    return SeiNodeStatusBuilder.builder()
        .observedGeneration(observedGeneration)
        .phaseTransitionTime(phaseTransitionTime)
        .reason(reason)
        .mode(mode)
        .conditions(conditions)
        .progress(progress)
        .readySince(readySince)
        .unreadySince(unreadySince)
        .pausedSince(pausedSince)
        .unpausedSince(unpausedSince)
        .updatedAt(updatedAt)
        .planHistory(planHistory)
        .seidRestart(seidRestart)
        .nodeId(nodeId)
        .statefulSet(statefulSet)
        .replacing(replacing)
        .signingPublicKey(signingPublicKey)
        .signingKey(signingKey)
        .signingRecord(signingRecord)
        .signingKeyTransferTo(signingKeyTransferTo)
        .signingElsewhere(signingElsewhere)
        .dataReset(dataReset)
        .explain(explain)
        .build();
  }

  /** The status of a node before its first reconcile. */
  public static SeiNodeStatus empty() {
    return SeiNodeStatusBuilder.builder().conditions(List.of()).planHistory(null).build();
  }
}
