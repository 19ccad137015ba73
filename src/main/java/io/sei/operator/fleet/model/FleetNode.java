package io.sei.operator.fleet.model;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
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
import io.sei.operator.progression.SidecarTaskTypes;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.render.SpecHash;
import io.sei.operator.render.TemplateHash;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A node of a deployment, as its own status has it. Only what was observed of the spec as it is now
 * counts.
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
 * @param caughtUpAt when its own RPC reported a new block since it is Ready; null if it did not
 * @param crashedAt when seid first crashed in its pod after it had been Ready; null if it did not
 * @param crash how seid ended then
 * @param crashReason what it died of, as a reason of the condition Stalled; null if it did not
 * @param paused whether the user keeps it out of service: it is paused or held
 * @param held whether it is held, or its spec asks for that
 * @param stopped whether it is paused and its pod is gone
 * @param terminating whether it is being deleted
 * @param upToDate whether it says that it runs what its spec asks for, the configuration included
 * @param switching whether it was admitted to an upgrade before its height, or given another
 *     configuration, and is not through yet
 * @param snapshotting whether it serves but for a snapshot of its volume that is in progress
 * @param atRisk whether its data would go with its pod, which it therefore does not end
 * @param unreadable whether the operator cannot read all of it: it counts as unavailable, and is
 *     not changed
 * @param byHand fields of its pod that somebody set beside the template
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
    boolean paused,
    boolean held,
    boolean stopped,
    boolean terminating,
    boolean upToDate,
    boolean switching,
    boolean snapshotting,
    boolean atRisk,
    boolean unreadable,
    List<String> byHand)
    implements FleetNodeBuilder.With {

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

    /** How the node is, to go behind its name. */
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
          NodeReason.STOPPED_FOR_SNAPSHOT,
          StallReason.UNSCHEDULABLE,
          StallReason.VOLUME_PENDING);

  /** The view of a node whose template is not known. */
  public static FleetNode of(SeiNode node, int ordinal) {
    return of(node, ordinal, hash -> Optional.empty());
  }

  /**
   * The view of a node.
   *
   * @param making makes the node of the template with a hash, if that is known
   */
  static FleetNode of(SeiNode node, int ordinal, Function<String, Optional<SeiNode>> making) {
    FleetNode view = ofSpecAndStatus(node, ordinal, making);
    return Unreadable.isStub(node) ? unreadable(view, node) : view;
  }

  /** Unknown is neither Ready nor new, nor is it known to be paused. */
  private static FleetNode unreadable(FleetNode view, SeiNode node) {
    boolean held =
        says(node, NodeConditionType.HELD).filter(it -> it.isFor(NodeReason.HELD)).isPresent();
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
                .paused(false)
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
    Optional<Condition> ready = condition(status, NodeConditionType.READY);
    SeidRun seid = status.seid() == null ? SeidRun.nothing() : status.seid();
    String readyReason = ready.map(Condition::reason).orElse(null);
    Optional<Condition> said =
        condition(status, NodeConditionType.STALLED)
            .filter(Condition::isTrue)
            .filter(it -> observed);
    Optional<Condition> halted =
        said.filter(it -> it.isFor(StallReason.HALTED_AT_UPGRADE) && status.mayHaltByDesign());
    Optional<Condition> stalled = said.filter(it -> halted.isEmpty());
    return new FleetNode(
        node.getMetadata().getName(),
        ordinal,
        status.phase(),
        status.currentImage(),
        given,
        observed ? runningHash(node, given, made, status.baseHash()) : null,
        readySince(ready, seid),
        readyReason,
        stalled.map(Condition::reason).orElse(null),
        stalled.map(Condition::message).orElse(null),
        stalled.map(Condition::lastTransitionTime).orElse(null),
        halted.map(Condition::message).orElse(null),
        isNeverReady(status, ready),
        !Boolean.TRUE.equals(seid.down())
            && NOTHING_RUNS.stream().noneMatch(it -> it.is(readyReason)),
        seid.caughtUpAt(),
        seid.crashedAt(),
        seid.crash(),
        seid.crashReason(),
        Boolean.TRUE.equals(node.getSpec().paused()) || held,
        held,
        observed
            && condition(status, NodeConditionType.PAUSED).filter(Condition::isTrue).isPresent(),
        node.isMarkedForDeletion(),
        observed && isUpToDate(status),
        isSwitching(node, ready.filter(Condition::isTrue).isPresent() && isUpToDate(status))
            || (stalled.isEmpty()
                && (isAboutToRestart(status) || Annotations.awaitsRestartOfSeid(node))),
        false,
        isAtRisk(status),
        false,
        made.map(it -> ManualEdits.fields(node, it)).orElse(List.of()));
  }

  /** What keeps it out of service, if something does. */
  public Optional<Absence> absence() {
    return Optional.of(held ? Absence.HELD : Absence.PAUSED).filter(it -> paused);
  }

  /** Whether the node's pod is kept from eviction by a budget of its own. */
  public boolean hasOwnBudget() {
    return held || atRisk;
  }

  /** What a node says of itself, whatever spec that is about; empty if it says nothing. */
  public static Optional<Condition> says(SeiNode node, NodeConditionType type) {
    return Optional.ofNullable(node.getStatus()).flatMap(it -> condition(it, type));
  }

  /** Whether a node says that its data would go with its pod. */
  public static boolean isAtRisk(SeiNode node) {
    return node.getStatus() != null && isAtRisk(node.getStatus());
  }

  private static boolean isAtRisk(SeiNodeStatus status) {
    return condition(status, NodeConditionType.DATA_VOLUME_AT_RISK)
        .filter(Condition::isTrue)
        .isPresent();
  }

  /** Whether the node is Ready. */
  public boolean isReady() {
    return readySince != null && !terminating;
  }

  /**
   * Whether it is not available, whatever the reason, or is about to be stopped. One that somebody
   * keeps out of service, or that has yet to be Ready for the first time, is missed by nobody.
   */
  public boolean isDown() {
    return (!isReady() || snapshotting) && !paused && !neverReady && !terminating;
  }

  /** Whether it has just ceased to be Ready while seid runs on, and may be Ready at any moment. */
  public boolean isBehind() {
    return isDown() && !isReady() && mayRun && stall == null && StallReason.UNKNOWN.is(cause());
  }

  /** Why it is not Ready, as a {@link StallReason}; null if it is. */
  public String cause() {
    if (stall != null || isReady()) {
      return stall;
    }
    return Stream.of(StallReason.values())
        .filter(it -> it.is(readyReason))
        .findFirst()
        .orElse(StallReason.UNKNOWN)
        .toString();
  }

  /** Why it is down, for a human. */
  String whyDown() {
    return stall == null ? readyReason : stall + ": " + stallMessage;
  }

  /** Whether it was given a template. */
  public boolean isOn(String hash) {
    return templateHash.equals(hash);
  }

  /** Whether its pod runs a template. */
  public boolean runs(String hash) {
    return isOn(hash) && hash.equals(runningHash);
  }

  /** Whether its pod is known to be of another template than it was given. */
  public boolean isRestarting() {
    return runningHash != null && !runs(templateHash);
  }

  /**
   * The node as its pod was just seen.
   *
   * @param since since when the pod has been Ready; empty if it is not
   */
  FleetNode seen(Optional<Instant> since) {
    if (unreadable || isReady() == since.isPresent()) {
      return this;
    }
    return since
        .map(this::readyAs)
        .orElseGet(
            () -> with(it -> it.readySince(null).readyReason(NodeReason.POD_NOT_READY.toString())));
  }

  /** The node once it is Ready, and so neither stalled nor down. */
  public FleetNode readyAs(Instant since) {
    return with(
        it ->
            it.readySince(since)
                .neverReady(false)
                .mayRun(true)
                .readyReason(null)
                .stall(null)
                .stallMessage(null)
                .stalledSince(null)
                .unlistedHalt(null));
  }

  /**
   * A node that was adopted with its pod may have been Ready before anybody here looked, unless
   * that was with data that is gone.
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
   * What the node was given is what its label says, also after somebody edited its spec: then it is
   * given that once more. The label of another operator says nothing, its spec does.
   */
  private static String templateHash(SeiNode node) {
    Map<String, String> labels = node.getMetadata().getLabels();
    String given = labels == null ? null : labels.get(Labels.REVISION);
    return TemplateHash.isKnownFormat(given) ? given : TemplateHash.of(node);
  }

  /**
   * A pod that was restarted by an annotation of the node itself, or for what somebody set beside
   * the template, is of the template all the same.
   */
  private static String runningHash(
      SeiNode node, String given, Optional<SeiNode> made, String baseHash) {
    String running = TemplateHash.ofSpecHash(baseHash);
    if (given.equals(running) || !SpecHash.ofTemplate(node).equals(baseHash)) {
      return running;
    }
    boolean isGiven =
        made.map(it -> ManualEdits.isBeside(node, it))
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
        .anyMatch(it -> it.runsEarly() && !(isWell && applied.contains(it.name())));
  }

  /** One that was down when it was given a configuration may be Ready before seid has read it. */
  private static boolean isAboutToRestart(SeiNodeStatus status) {
    return status.plan() != null
        && status.plan().tasks().stream()
            .anyMatch(task -> SidecarTaskTypes.RESTART_SEID.equals(task.type()));
  }

  /** A sidecar that restarted waits for its plan, but changes nothing of what runs. */
  private static boolean isUpToDate(SeiNodeStatus status) {
    boolean markingReady = status.plan() != null && status.plan().kind() == PlanKind.MARK_READY;
    return markingReady
        || condition(status, NodeConditionType.UP_TO_DATE).filter(Condition::isTrue).isPresent();
  }

  private static Optional<Condition> condition(SeiNodeStatus status, NodeConditionType type) {
    return Conditions.find(status.conditions(), type);
  }
}
