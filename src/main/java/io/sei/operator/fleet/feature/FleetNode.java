package io.sei.operator.fleet.feature;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeidRun;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.base.Unreadable;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.render.SpecHash;
import io.sei.operator.render.TemplateHash;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A node of a fleet by its own spec and status. Stall, running template, {@code upToDate} and
 * {@code stopped} count only if the status was observed of the present spec; readiness counts in
 * any case.
 *
 * @param templateHash hash of the template it was given
 * @param runningHash hash of the template its pod runs; null if that is not known
 * @param readySince since when it has been Ready; null if it is not
 * @param readyReason why it is Ready or not
 * @param stall why it is stalled; null if it is not
 * @param stallMessage the evidence
 * @param stalledSince since when it is stalled; null if it is not
 * @param unlistedHalt the evidence of a halt at an upgrade height that no entry lists, past the
 *     progress deadline; null if there is none. That is no stall of a template
 * @param neverReady whether it has not been Ready since its volume is new
 * @param mayRun whether seid may be running, for all that is known
 * @param caughtUpAt when its own RPC reported a new block; null if it did not, and possibly of an
 *     earlier run, before {@code readySince}
 * @param crashedAt when seid first crashed in its pod after it had been Ready; null if it did not
 * @param crash how seid ended then
 * @param crashReason what it died of, as a reason of the condition Stalled; null if it did not
 * @param pausedOrHeld whether the user keeps it out of service: its spec pauses or holds it
 * @param held whether its spec holds it; of an unreadable node, whether it was held: its pod keeps
 *     a PodDisruptionBudget of its own
 * @param stopped whether it is paused and its pod is gone
 * @param terminating whether it is being deleted
 * @param upToDate whether it says that it runs what its spec asks for, the configuration included
 * @param switching whether it was admitted to an early upgrade, was given another configuration or
 *     is about to be ended by a task, and is not confirmed since
 * @param snapshotting whether it serves but for a snapshot of its volume that is in progress
 * @param atRisk whether its data would go with its pod, which it therefore does not end
 * @param leaving what announces that its Kubernetes node is about to be drained, as read live; null
 *     for nothing
 * @param unreadable whether the operator cannot read all of it: it is not changed, and counts as
 *     unavailable, also if it was paused or held, which nothing proves any more
 * @param byHand fields of its pod that were set on the node beside the template
 */
@RecordBuilder
public record FleetNode(
    String name,
    int ordinal,
    NodePhase phase,
    String image,
    String templateHash,
    String runningHash,
    Instant readySince,
    String readyReason,
    String stall,
    String stallMessage,
    Instant stalledSince,
    String unlistedHalt,
    boolean neverReady,
    boolean mayRun,
    Instant caughtUpAt,
    Instant crashedAt,
    String crash,
    String crashReason,
    boolean pausedOrHeld,
    boolean held,
    boolean stopped,
    boolean terminating,
    boolean upToDate,
    boolean switching,
    boolean snapshotting,
    boolean atRisk,
    String leaving,
    boolean unreadable,
    List<String> byHand)
    implements FleetNodeBuilder.With {

  /** Advice for a node that cannot be read. */
  public static final String HOW_TO_READ = "correct the field that its conditions or Events name";

  /** The request of a user that keeps a node out of service. */
  public enum Absence {
    PAUSED(FleetReason.NODE_PAUSED, "is paused", "its spec.paused is true"),
    HELD(FleetReason.NODE_HELD, "is held", "its spec.maintenance.hold is set");

    private final FleetReason reason;
    private final String state;
    private final String cause;

    Absence(FleetReason reason, String state, String cause) {
      this.reason = reason;
      this.state = state;
      this.cause = cause;
    }

    public FleetReason reason() {
      return reason;
    }

    /** Returns the state of the node, to be printed after its name. */
    public String state() {
      return state;
    }

    /** The field that says so. */
    public String cause() {
      return cause;
    }
  }

  /** Reasons for not being Ready that only a node has whose seid does not run, or is stopped. */
  private static final Set<Reason> NOTHING_RUNS =
      Set.of(
          NodeReason.NO_POD,
          NodeReason.BOOTSTRAPPING,
          NodeReason.PAUSED,
          NodeReason.HELD,
          NodeReason.STOPPED_FOR_SNAPSHOT,
          StallReason.UNSCHEDULABLE,
          StallReason.VOLUME_PENDING);

  /** Reads a node whose template is not known. */
  public static FleetNode of(SeiNode node, int ordinal) {
    return of(node, ordinal, hash -> Optional.empty());
  }

  /**
   * Reads a node.
   *
   * @param making renders the node of the template with a hash, if that is known
   */
  static FleetNode of(SeiNode node, int ordinal, Function<String, Optional<SeiNode>> making) {
    FleetNode view = ofSpecAndStatus(node, ordinal, making);
    return Unreadable.isStub(node) ? unreadable(view, node) : view;
  }

  /** Returns a node of which only metadata and its last condition Held are known. */
  private static FleetNode unreadable(FleetNode view, SeiNode node) {
    boolean held =
        says(node, NodeConditionType.HELD)
            .filter(condition -> condition.isFor(NodeReason.HELD))
            .isPresent();
    return view.with(
        unknown ->
            unknown
                .unreadable(true)
                .readySince(null)
                .readyReason(StallReason.INVALID_SPEC.toString())
                .stall(null)
                .stallMessage(null)
                .stalledSince(null)
                .unlistedHalt(null)
                .runningHash(null)
                .neverReady(false)
                .upToDate(false)
                .pausedOrHeld(false)
                .held(held)
                .stopped(false)
                .byHand(List.of()));
  }

  private static FleetNode ofSpecAndStatus(
      SeiNode node, int ordinal, Function<String, Optional<SeiNode>> making) {
    SeiNodeStatus status = node.getStatus() == null ? SeiNodeStatus.empty() : node.getStatus();
    boolean observed =
        Objects.equals(status.observedGeneration(), node.getMetadata().getGeneration());
    String given = templateHash(node);
    boolean held = node.getSpec().holding().isPresent();
    Optional<SeiNode> made =
        TemplateHash.of(node).equals(given) ? Optional.empty() : making.apply(given);
    Optional<Condition> ready = status.condition(NodeConditionType.READY);
    SeidRun seid = status.seid() == null ? SeidRun.nothing() : status.seid();
    String readyReason = ready.map(Condition::reason).orElse(null);
    Optional<Condition> said =
        status
            .condition(NodeConditionType.STALLED)
            .filter(Condition::isTrue)
            .filter(condition -> observed);
    Optional<Condition> halted =
        said.filter(
            condition ->
                condition.isFor(StallReason.HALTED_AT_UPGRADE) && status.mayHaltByDesign());
    Optional<Condition> stalled = said.filter(condition -> halted.isEmpty());
    boolean isRestartDue = isAboutToRestart(status) || Annotations.awaitsRestartOfSeid(node);
    boolean isWell = ready.filter(Condition::isTrue).isPresent() && isUpToDate(status);
    return FleetNodeBuilder.builder()
        .name(node.getMetadata().getName())
        .ordinal(ordinal)
        .phase(status.phase())
        .image(status.currentImage())
        .templateHash(given)
        .runningHash(observed ? runningHash(node, given, made, status.baseHash()) : null)
        .readySince(readySince(ready, seid))
        .readyReason(readyReason)
        .stall(stalled.map(Condition::reason).orElse(null))
        .stallMessage(stalled.map(Condition::message).orElse(null))
        .stalledSince(stalled.map(Condition::lastTransitionTime).orElse(null))
        .unlistedHalt(halted.map(Condition::message).orElse(null))
        .neverReady(isNeverReady(status, ready))
        .mayRun(
            !Boolean.TRUE.equals(seid.down())
                && NOTHING_RUNS.stream().noneMatch(reason -> reason.is(readyReason)))
        .caughtUpAt(seid.caughtUpAt())
        .crashedAt(seid.crashedAt())
        .crash(seid.crash())
        .crashReason(seid.crashReason())
        .pausedOrHeld(Boolean.TRUE.equals(node.getSpec().paused()) || held)
        .held(held)
        .stopped(observed && status.isTrue(NodeConditionType.PAUSED))
        .terminating(node.isMarkedForDeletion())
        .upToDate(observed && isUpToDate(status))
        .switching(isSwitching(node, isWell) || (stalled.isEmpty() && isRestartDue))
        .atRisk(isAtRisk(status))
        .byHand(made.map(template -> ManualEdits.fields(node, template)).orElse(List.of()))
        .build();
  }

  /** The request of the user that keeps it out of service; empty if there is none. */
  public Optional<Absence> absence() {
    return Optional.of(held ? Absence.HELD : Absence.PAUSED).filter(absence -> pausedOrHeld);
  }

  /**
   * Returns whether a rollout leaves the node as it is: it is paused, or is to be held and seid may
   * still run. Once seid of a held node has ended, another template takes nothing out of service.
   */
  public boolean isLeftAlone() {
    return pausedOrHeld && !(held && NodeReason.HELD.is(readyReason));
  }

  /** Returns whether the node's pod has a PodDisruptionBudget of its own. */
  public boolean hasOwnBudget() {
    return held || atRisk;
  }

  /** Condition of a node, of whichever spec it was observed. */
  public static Optional<Condition> says(SeiNode node, NodeConditionType type) {
    return Optional.ofNullable(node.getStatus()).flatMap(status -> status.condition(type));
  }

  /** Returns whether the condition of a node says that its data would be lost with its pod. */
  public static boolean isAtRisk(SeiNode node) {
    return node.getStatus() != null && isAtRisk(node.getStatus());
  }

  private static boolean isAtRisk(SeiNodeStatus status) {
    return status.isTrue(NodeConditionType.DATA_VOLUME_AT_RISK);
  }

  /**
   * Returns whether it serves on a Kubernetes node that is about to be drained: its pod is moved
   * soon, or could not be scheduled again.
   */
  public boolean isLeaving() {
    return isReady() && leaving != null;
  }

  /** Returns whether the node is Ready. */
  public boolean isReady() {
    return readySince != null && !terminating;
  }

  /**
   * Returns whether it is unavailable or about to be stopped. A node that the user keeps out of
   * service, or that was never Ready, is exempt.
   */
  public boolean isDown() {
    return (!isReady() || snapshotting) && !pausedOrHeld && !neverReady && !terminating;
  }

  /** Returns whether it is not Ready for no known cause while seid runs, and may soon be Ready. */
  public boolean isBehind() {
    return isDown() && !isReady() && mayRun && stall == null && StallReason.UNKNOWN.is(cause());
  }

  /** Cause for which it is not Ready, as a {@link StallReason}; null if it is. */
  public String cause() {
    if (stall != null || isReady()) {
      return stall;
    }
    return Stream.of(StallReason.values())
        .filter(reason -> reason.is(readyReason))
        .findFirst()
        .orElse(StallReason.UNKNOWN)
        .toString();
  }

  /** Cause for which it is down, for a message. */
  String whyDown() {
    return stall == null ? readyReason : stall + ": " + stallMessage;
  }

  /** Returns whether its spec is of a template. */
  public boolean isOn(String hash) {
    return templateHash.equals(hash);
  }

  /** Returns whether its pod runs a template. */
  public boolean runs(String hash) {
    return isOn(hash) && hash.equals(runningHash);
  }

  /** Returns whether its pod is known to be of another template than its spec. */
  public boolean isRestarting() {
    return runningHash != null && !runs(templateHash);
  }

  /**
   * Returns the node as its pod was just read. A pod that became Ready later than the status
   * reports has restarted meanwhile, so that its block counts no longer; a time in the future is of
   * a wrong clock and does not count.
   *
   * @param since since when the pod has been Ready; empty if it is not
   */
  FleetNode asReadLive(Optional<Instant> since, Instant now) {
    if (unreadable) {
      return this;
    }
    if (isReady() && since.isPresent()) {
      boolean hasRestarted = since.get().isAfter(readySince) && !since.get().isAfter(now);
      return hasRestarted ? with(node -> node.readySince(since.get()).caughtUpAt(null)) : this;
    }
    if (!isReady() && since.isEmpty()) {
      return this;
    }
    return since
        .map(this::readyAs)
        .orElseGet(
            () ->
                with(
                    builder ->
                        builder.readySince(null).readyReason(NodeReason.POD_NOT_READY.toString())));
  }

  /**
   * Returns the node once it is Ready, so neither stalled nor down, and without a new block yet.
   */
  public FleetNode readyAs(Instant since) {
    return with(
        builder ->
            builder
                .readySince(since)
                .caughtUpAt(null)
                .neverReady(false)
                .mayRun(true)
                .readyReason(null)
                .stall(null)
                .stallMessage(null)
                .stalledSince(null)
                .unlistedHalt(null));
  }

  /**
   * Returns whether the node was not Ready since its volume is new. One that was adopted with its
   * pod may have been Ready before, unless that was with data that is gone.
   */
  private static boolean isNeverReady(SeiNodeStatus status, Optional<Condition> ready) {
    return status.syncedAt() == null
        && (status.podBaseline() == null || status.hasWipedData())
        && ready.filter(Condition::isTrue).isEmpty();
  }

  /**
   * A run that began between two reconciles has been Ready for less time than the condition says.
   */
  private static Instant readySince(Optional<Condition> ready, SeidRun seid) {
    return ready
        .filter(Condition::isTrue)
        .map(Condition::lastTransitionTime)
        .map(
            since ->
                seid.readyAt() == null || seid.readyAt().isBefore(since) ? since : seid.readyAt())
        .orElse(null);
  }

  /**
   * The template of the node is that of its label, also after a user edited its spec, which is then
   * applied again. The label of another operator is of another format; then the spec decides.
   */
  private static String templateHash(SeiNode node) {
    return Labels.of(node, Labels.REVISION)
        .filter(TemplateHash::isKnownFormat)
        .orElseGet(() -> TemplateHash.of(node));
  }

  /**
   * The template that the pod runs. A pod that was restarted by an annotation of the node itself,
   * or for fields set beside the template, is of the template all the same.
   */
  private static String runningHash(
      SeiNode node, String given, Optional<SeiNode> made, String baseHash) {
    String running = TemplateHash.ofSpecHash(baseHash);
    if (given.equals(running) || !SpecHash.ofTemplate(node).equals(baseHash)) {
      return running;
    }
    boolean isGiven =
        made.map(seiNode -> ManualEdits.isBeside(node, seiNode))
            .orElseGet(
                () ->
                    given.equals(
                        TemplateHash.ofSpecHash(SpecHash.ofTemplate(node.getSpec(), null))));
    return isGiven ? given : running;
  }

  private static boolean isSwitching(SeiNode node, boolean isWell) {
    Set<String> applied =
        Stream.ofNullable(node.getStatus())
            .map(SeiNodeStatus::upgrades)
            .filter(Objects::nonNull)
            .flatMap(List::stream)
            .filter(UpgradeStatus::isApplied)
            .map(UpgradeStatus::name)
            .collect(Collectors.toSet());
    return Stream.ofNullable(node.getSpec().upgrades())
        .flatMap(List::stream)
        .anyMatch(upgrade -> upgrade.runsEarly() && !(isWell && applied.contains(upgrade.name())));
  }

  /** A node that was down when its configuration changed may be Ready before seid has read that. */
  private static boolean isAboutToRestart(SeiNodeStatus status) {
    return status.plan() != null
        && status.plan().tasks().stream()
            .anyMatch(task -> SidecarTaskTypes.RESTART_SEID.equals(task.type()));
  }

  /** A plan for a sidecar that restarted changes nothing of what runs. */
  private static boolean isUpToDate(SeiNodeStatus status) {
    boolean markingReady = status.plan() != null && status.plan().kind() == PlanKind.MARK_READY;
    return markingReady || status.isTrue(NodeConditionType.UP_TO_DATE);
  }
}
