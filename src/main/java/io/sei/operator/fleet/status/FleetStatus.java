package io.sei.operator.fleet.status;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.FleetChain;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.FleetUpgrade;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeSummary;
import io.sei.operator.api.v1alpha1.PerPodService;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.base.Text;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.fleet.model.FleetFeature;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetReconcile;
import io.sei.operator.fleet.model.FleetReport;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.reconcile.StatusDraft;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.render.NodeMode;
import io.sei.operator.render.ServiceUrls;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** Decides what a user reads of a deployment: counts, conditions, phase and explanation. */
public final class FleetStatus {

  /** Of a column; {@code status.nodes} has the image of each node. */
  private static final int MAX_IMAGES = 512;

  private FleetStatus() {}

  /** The status after a reconcile. */
  public static SeiNodeDeploymentStatus of(FleetReconcile reconcile, List<FleetFeature> features) {
    var report = new FleetReport();
    features.forEach(it -> it.report(reconcile, report));
    FleetSnapshot snapshot = reconcile.snapshot();
    SeiNodeDeploymentStatus counted = counted(snapshot, reconcile.status());
    SeiNodeDeploymentStatus said = FleetConditions.in(reconcile, counted, report);
    return said.with(
        it ->
            it.rolloutsPaused(snapshot.pausesRollouts())
                .phase(phase(snapshot, said, report.isConfiguring()))
                .explain(RolloutExplanation.of(snapshot)));
  }

  /** The status as it is written. */
  public static SeiNodeDeploymentStatus concluded(
      SeiNodeDeploymentStatus before,
      SeiNodeDeploymentStatus reached,
      Long generation,
      Instant now) {
    SeiNodeDeploymentStatus after =
        reached.with(
            it ->
                it.observedGeneration(generation)
                    .reason(
                        reached.phase() == FleetPhase.TERMINATING
                            ? reached.phase().toString()
                            : Conditions.firstReason(reached.conditions())));
    SeiNodeDeploymentStatus otherwise = after.withChain(before.chain());
    boolean isWrittenAnyway = !otherwise.equals(before);
    return isWrittenAnyway || isChainDue(before.chain(), after.chain(), now) ? after : otherwise;
  }

  /** Every block is news: by itself it is written only shortly before an upgrade. */
  private static boolean isChainDue(FleetChain written, FleetChain heard, Instant now) {
    if (heard == null || !heard.isUpgradeNear(now)) {
      return false;
    }
    return written == null
        || written.at() == null
        || !now.isBefore(written.at().plus(FleetChain.INTERVAL));
  }

  /**
   * The status of a deployment whose spec is invalid. Its nodes are resources of their own and go
   * on with the last good spec, so they are counted, and a phase that was reached is kept; but what
   * nobody looks after is not Ready.
   */
  public static SeiNodeDeploymentStatus invalid(FleetSnapshot snapshot, List<FieldError> errors) {
    return invalid(
        snapshot.deployment(), counted(snapshot, snapshot.status()), errors, snapshot.now());
  }

  /**
   * The status of a deployment whose spec cannot be read: how many nodes are wanted, and of which
   * template, is unknown, and what was said of that stays.
   */
  public static SeiNodeDeploymentStatus unreadable(
      SeiNodeDeployment deployment, List<FieldError> errors, Instant now) {
    return invalid(deployment, FleetSnapshot.statusOf(deployment), errors, now);
  }

  private static SeiNodeDeploymentStatus invalid(
      SeiNodeDeployment deployment,
      SeiNodeDeploymentStatus status,
      List<FieldError> errors,
      Instant now) {
    Long generation = deployment.getMetadata().getGeneration();
    String message = FieldError.joined(errors);
    var draft = new StatusDraft(status.conditions(), generation, now);
    Verdict invalid = Verdict.no(StallReason.INVALID_SPEC, message);
    draft.put(FleetConditionType.READY, invalid);
    draft.put(FleetConditionType.UP_TO_DATE, invalid);
    return status
        .withConditions(draft.conditions())
        .withPhase(unattended(status.phase()))
        .withExplain(
            Explanation.ofInvalid(
                status.explain(),
                Annotations.explainRequest(deployment),
                generation,
                now,
                message));
  }

  /**
   * The status of a deployment that may not be adopted. Only Ready is set: its Go operator, if that
   * runs, sets the other conditions.
   */
  public static SeiNodeDeploymentStatus unadopted(FleetReconcile reconcile, String message) {
    var draft =
        new StatusDraft(
            reconcile.status().conditions(),
            reconcile.deployment().getMetadata().getGeneration(),
            reconcile.now());
    draft.put(FleetConditionType.READY, Verdict.unknown(FleetReason.TAKEOVER_NOT_ENABLED, message));
    return reconcile.status().withConditions(draft.conditions());
  }

  private static FleetPhase unattended(FleetPhase reached) {
    if (reached == null) {
      return FleetPhase.PENDING;
    }
    return reached == FleetPhase.READY ? FleetPhase.DEGRADED : reached;
  }

  /** The status of a deployment that is being deleted. */
  public static SeiNodeDeploymentStatus terminating(SeiNodeDeploymentStatus status) {
    return status.withPhase(FleetPhase.TERMINATING);
  }

  /** The status with Stalled=True. */
  public static SeiNodeDeploymentStatus stalled(
      SeiNodeDeploymentStatus status, Finding finding, Long generation, Instant now) {
    return status.with(
        it ->
            it.conditions(finding.stalls(status.conditions(), generation, now))
                .progress(Verdict.yes(finding).progress(status.progress(), now)));
  }

  private static SeiNodeDeploymentStatus counted(
      FleetSnapshot snapshot, SeiNodeDeploymentStatus recorded) {
    List<FleetNode> fleet = snapshot.fleet();
    List<PerPodService> services =
        snapshot
            .wanted()
            .flatMap(child -> ServiceUrls.perPodService(child.node()).stream())
            .toList();
    int updated = (int) fleet.stream().filter(node -> node.runs(snapshot.templateHash())).count();
    int ready = (int) fleet.stream().filter(FleetNode::isReady).count();
    return recorded.with(
        it ->
            it.replicas(fleet.size())
                .selector(Labels.selectorOfFleet(snapshot.deployment()))
                .readyReplicas(ready)
                .ready(ready + "/" + snapshot.replicas())
                .caughtUp(caughtUp(snapshot))
                .image(images(fleet))
                .mode(NodeMode.of(snapshot.template().spec()).inStatus())
                .updatedReplicas(updated)
                .updated(updated + "/" + snapshot.replicas())
                .perPodServices(services.isEmpty() ? null : services)
                .endpoints(ServiceUrls.ofFleet(recorded.internalService(), services))
                .nodes(fleet.stream().map(FleetStatus::summary).toList())
                .upgrades(upgrades(snapshot))
                .incumbentNodes(
                    snapshot.children().stream()
                        .map(child -> child.node().getMetadata().getName())
                        .sorted()
                        .toList()));
  }

  /** A node that is not Ready may still say that it has caught up: it says so of its last run. */
  private static String caughtUp(FleetSnapshot snapshot) {
    boolean isKnown =
        snapshot
            .wanted()
            .anyMatch(
                child -> FleetNode.says(child.node(), NodeConditionType.CAUGHT_UP).isPresent());
    long caughtUp =
        snapshot.fleet().stream()
            .filter(FleetNode::isReady)
            .flatMap(node -> snapshot.child(node.ordinal()).stream())
            .flatMap(node -> FleetNode.says(node, NodeConditionType.CAUGHT_UP).stream())
            .filter(Condition::isTrue)
            .count();
    return isKnown ? caughtUp + "/" + snapshot.replicas() : null;
  }

  private static String images(List<FleetNode> fleet) {
    String images =
        fleet.stream()
            .map(FleetNode::image)
            .filter(Objects::nonNull)
            .distinct()
            .collect(Collectors.joining(","));
    return images.isEmpty() ? null : Text.cut(images, MAX_IMAGES);
  }

  private static List<FleetUpgrade> upgrades(FleetSnapshot snapshot) {
    List<Upgrade> listed = snapshot.template().spec().upgrades();
    return listed == null || listed.isEmpty()
        ? null
        : listed.stream()
            .sorted(Comparator.comparing(Upgrade::height))
            .map(
                it ->
                    new FleetUpgrade(
                        it.name(),
                        it.height(),
                        it.image(),
                        count(snapshot, it.name(), UpgradeState.APPLIED)
                            + "/"
                            + snapshot.replicas(),
                        count(snapshot, it.name(), UpgradeState.PASSED) == 0
                            ? null
                            : UpgradeState.PASSED))
            .toList();
  }

  private static long count(FleetSnapshot snapshot, String upgrade, UpgradeState state) {
    return snapshot
        .wanted()
        .map(child -> child.node().getStatus())
        .filter(status -> status != null && status.upgrades() != null)
        .flatMap(status -> status.upgrades().stream())
        .filter(entry -> entry.name().equals(upgrade) && entry.state() == state)
        .count();
  }

  private static NodeSummary summary(FleetNode node) {
    String unready = node.isReady() ? null : node.readyReason();
    String stalled = node.stall() == null ? unready : node.stall();
    String why = node.atRisk() ? FleetReason.DATA_VOLUME_AT_RISK.toString() : stalled;
    String reason = node.absence().map(it -> it.reason().toString()).orElse(why);
    return new NodeSummary(
        node.name(), node.phase(), node.image(), node.isReady(), withByHand(reason, node.byHand()));
  }

  private static String withByHand(String reason, List<String> fields) {
    if (fields.isEmpty()) {
      return reason;
    }
    String byHand = FleetReason.SET_BY_HAND + ": " + String.join(", ", fields);
    return reason == null ? byHand : reason + "; " + byHand;
  }

  /** The phase, in the order in which users know it. */
  private static FleetPhase phase(
      FleetSnapshot snapshot, SeiNodeDeploymentStatus status, boolean configuring) {
    List<FleetNode> fleet = snapshot.fleet();
    if (snapshot.pausesRollouts()) {
      return FleetPhase.PAUSED;
    }
    if (status.rollout() != null || configuring) {
      return FleetPhase.UPGRADING;
    }
    if (fleet.isEmpty()) {
      return FleetPhase.PENDING;
    }
    if (status.failedTemplateHash() != null) {
      return FleetPhase.DEGRADED;
    }
    if (fleet.size() == snapshot.replicas() && fleet.stream().allMatch(FleetNode::isReady)) {
      return FleetPhase.READY;
    }
    if (fleet.stream().allMatch(node -> node.phase() == NodePhase.FAILED)) {
      return FleetPhase.FAILED;
    }
    boolean initialized =
        fleet.stream()
            .allMatch(
                node -> node.phase() == NodePhase.RUNNING || node.phase() == NodePhase.FAILED);
    return initialized && isBroken(snapshot, status)
        ? FleetPhase.DEGRADED
        : FleetPhase.INITIALIZING;
  }

  /**
   * A fleet that was never Ready as it is now is on its way, until something keeps it from that.
   */
  private static boolean isBroken(FleetSnapshot snapshot, SeiNodeDeploymentStatus status) {
    FleetPhase before = snapshot.status().phase();
    boolean wasReady = before == FleetPhase.READY || before == FleetPhase.DEGRADED;
    return status.stalledSince().isPresent()
        || snapshot.fleet().stream().anyMatch(node -> node.phase() == NodePhase.FAILED)
        || wasReady && snapshot.fleet().size() == snapshot.replicas();
  }
}
