package io.sei.operator.fleet;

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
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.base.Text;
import io.sei.operator.base.Unreadable;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.fleet.feature.FleetConditionParts;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.ConditionsDraft;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.render.NodeConfiguration;
import io.sei.operator.render.NodeMode;
import io.sei.operator.render.ServiceUrls;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Decides what a user reads of a deployment: counts, conditions, phase and explanation. */
public final class FleetStatus {

  /** Limit of a column; {@code status.nodes} has the image of each node. */
  private static final int MAX_IMAGES = 512;

  private FleetStatus() {}

  /** The status after a reconcile. */
  public static SeiNodeDeploymentStatus of(FleetPass pass, FleetConditionParts conditions) {
    conditions.report(pass);
    FleetView view = pass.view();
    SeiNodeDeploymentStatus counted = counted(view, pass.draft());
    SeiNodeDeploymentStatus said = FleetConditions.in(pass, counted);
    return said.with(
        builder ->
            builder
                .rollout(shown(pass, said.rollout()))
                .rolloutsPaused(view.pausesRollouts())
                .phase(phase(view, said, pass.configuring().isPresent()))
                .explain(RolloutExplanation.of(view)));
  }

  /** The rollout in the status: while there is none of a template, that of a configuration. */
  private static Rollout shown(FleetPass pass, Rollout ofTemplate) {
    FleetView view = pass.view();
    if (ofTemplate != null || pass.configuring().isEmpty() || view.pausesRollouts()) {
      return ofTemplate;
    }
    String digest = NodeConfiguration.of(view.template().spec()).digest();
    Rollout before = FleetView.statusOf(view.deployment()).rollout();
    boolean isTheSame = before != null && digest.equals(before.configuration());
    return Rollout.ofConfiguration(
        digest, view.templateHash(), isTheSame ? before.startedAt() : view.now());
  }

  /** The status as it is written. */
  public static SeiNodeDeploymentStatus concluded(
      SeiNodeDeploymentStatus before,
      SeiNodeDeploymentStatus reached,
      Long generation,
      Instant now) {
    SeiNodeDeploymentStatus after =
        reached.with(
            builder ->
                builder
                    .observedGeneration(generation)
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

  /** Returns the status of a deployment that is being deleted. */
  static SeiNodeDeploymentStatus terminating(SeiNodeDeploymentStatus status) {
    return status.withPhase(FleetPhase.TERMINATING);
  }

  /**
   * The status of a deployment whose spec is invalid. Its nodes are resources of their own and go
   * on with the last good spec, so they are counted, and a phase that was reached is kept; but what
   * no controller looks after is not Ready. Of a spec that cannot be read, how many nodes are
   * wanted and of which template is unknown, and what was reported of that stays.
   *
   * @param observer observes the nodes
   */
  public static SeiNodeDeploymentStatus invalid(
      SeiNodeDeployment deployment,
      Function<SeiNodeDeployment, FleetView> observer,
      List<FieldError> errors,
      Instant now) {
    SeiNodeDeploymentStatus status =
        Unreadable.isStub(deployment)
            ? FleetView.statusOf(deployment)
            : counted(observer.apply(deployment), FleetView.statusOf(deployment));
    Long generation = deployment.getMetadata().getGeneration();
    String message = FieldError.joined(errors);
    var conditions = new ConditionsDraft(status.conditions(), generation, now);
    ConditionProposal invalid = ConditionProposal.no(StallReason.INVALID_SPEC, message);
    conditions.put(FleetConditionType.READY, invalid);
    conditions.put(FleetConditionType.UP_TO_DATE, invalid);
    return status
        .withConditions(conditions.conditions())
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
  public static SeiNodeDeploymentStatus unadopted(FleetPass pass, String message) {
    var conditions =
        new ConditionsDraft(
            pass.draft().conditions(), pass.deployment().getMetadata().getGeneration(), pass.now());
    conditions.put(
        FleetConditionType.READY,
        ConditionProposal.unknown(FleetReason.TAKEOVER_NOT_ENABLED, message));
    return pass.draft().withConditions(conditions.conditions());
  }

  private static FleetPhase unattended(FleetPhase reached) {
    if (reached == null) {
      return FleetPhase.PENDING;
    }
    return reached == FleetPhase.READY ? FleetPhase.DEGRADED : reached;
  }

  /** The status with Stalled=True. */
  public static SeiNodeDeploymentStatus stalled(
      SeiNodeDeploymentStatus status, Finding finding, Long generation, Instant now) {
    return status.with(
        builder ->
            builder
                .conditions(finding.stalls(status.conditions(), generation, now))
                .progress(ConditionProposal.yes(finding).progress(status.progress(), now)));
  }

  private static SeiNodeDeploymentStatus counted(FleetView view, SeiNodeDeploymentStatus recorded) {
    List<FleetNode> fleet = view.fleet();
    List<PerPodService> services =
        view.wanted().flatMap(child -> ServiceUrls.perPodService(child.node()).stream()).toList();
    int updated = (int) fleet.stream().filter(node -> node.runs(view.templateHash())).count();
    int ready = (int) fleet.stream().filter(FleetNode::isReady).count();
    return recorded.with(
        builder ->
            builder
                .replicas(fleet.size())
                .selector(Labels.selectorOfFleet(view.deployment()))
                .readyReplicas(ready)
                .ready(ready + "/" + view.replicas())
                .caughtUp(caughtUp(view))
                .image(images(fleet))
                .mode(NodeMode.of(view.template().spec()).inStatus())
                .updatedReplicas(updated)
                .updated(updated + "/" + view.replicas())
                .perPodServices(services.isEmpty() ? null : services)
                .endpoints(ServiceUrls.ofFleet(recorded.internalService(), services))
                .nodes(fleet.stream().map(FleetStatus::summary).toList())
                .upgrades(upgrades(view))
                .incumbentNodes(
                    view.children().stream()
                        .map(child -> child.node().getMetadata().getName())
                        .sorted()
                        .toList()));
  }

  /** A node that is not Ready may still say that it has caught up: it says so of its last run. */
  private static String caughtUp(FleetView view) {
    boolean isKnown =
        view.wanted()
            .anyMatch(
                child -> FleetNode.says(child.node(), NodeConditionType.CAUGHT_UP).isPresent());
    long caughtUp =
        view.fleet().stream()
            .filter(FleetNode::isReady)
            .flatMap(node -> FleetNode.says(view.child(node), NodeConditionType.CAUGHT_UP).stream())
            .filter(Condition::isTrue)
            .count();
    return isKnown ? caughtUp + "/" + view.replicas() : null;
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

  private static List<FleetUpgrade> upgrades(FleetView view) {
    List<Upgrade> listed = view.template().spec().upgrades();
    return listed == null || listed.isEmpty()
        ? null
        : listed.stream()
            .sorted(Comparator.comparing(Upgrade::height))
            .map(
                upgrade ->
                    new FleetUpgrade(
                        upgrade.name(),
                        upgrade.height(),
                        upgrade.image(),
                        count(view, upgrade.name(), UpgradeState.APPLIED) + "/" + view.replicas(),
                        count(view, upgrade.name(), UpgradeState.PASSED) == 0
                            ? null
                            : UpgradeState.PASSED))
            .toList();
  }

  private static long count(FleetView view, String upgrade, UpgradeState state) {
    return view.wanted()
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
    String reason = node.absence().map(absence -> absence.reason().toString()).orElse(why);
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
      FleetView view, SeiNodeDeploymentStatus status, boolean configuring) {
    List<FleetNode> fleet = view.fleet();
    if (view.pausesRollouts()) {
      return FleetPhase.PAUSED;
    }
    if (status.rollout() != null || configuring) {
      return FleetPhase.UPGRADING;
    }
    if (fleet.isEmpty()) {
      return FleetPhase.PENDING;
    }
    if (view.isInForce(status.failedTemplateHash())) {
      return FleetPhase.DEGRADED;
    }
    if (fleet.size() == view.replicas() && fleet.stream().allMatch(FleetNode::isReady)) {
      return FleetPhase.READY;
    }
    if (fleet.stream().allMatch(node -> node.phase() == NodePhase.FAILED)) {
      return FleetPhase.FAILED;
    }
    boolean initialized =
        fleet.stream()
            .allMatch(
                node -> node.phase() == NodePhase.RUNNING || node.phase() == NodePhase.FAILED);
    return initialized && isBroken(view, status) ? FleetPhase.DEGRADED : FleetPhase.INITIALIZING;
  }

  /**
   * A fleet that was never Ready as it is now is on its way, until something keeps it from that.
   */
  private static boolean isBroken(FleetView view, SeiNodeDeploymentStatus status) {
    FleetPhase before = view.stored().phase();
    boolean wasReady = before == FleetPhase.READY || before == FleetPhase.DEGRADED;
    return status.stalledSince().isPresent()
        || view.fleet().stream().anyMatch(node -> node.phase() == NodePhase.FAILED)
        || wasReady && view.fleet().size() == view.replicas();
  }
}
