package io.sei.operator.fleet;

import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import io.fabric8.kubernetes.api.model.Service;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetConfiguration;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.Progress;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.fleet.feature.Assigned;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetNode.Absence;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.RolloutVerdict;
import io.sei.operator.kube.OwnedObjects.Outcome.Foreign;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.ConditionsDraft;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The conditions of a deployment, one method each: the first line that applies decides. */
final class FleetConditions {

  private final FleetPass pass;
  private final FleetView view;
  private final SeiNodeDeploymentStatus status;
  private final List<FleetNode> fleet;

  /** The nodes that are neither paused nor held, by which a fleet is judged. */
  private final List<FleetNode> serving;

  private final Optional<FleetNode> worst;
  private final Optional<Finding> refusal;
  private final boolean allReady;

  private FleetConditions(FleetPass pass, SeiNodeDeploymentStatus counted) {
    this.pass = pass;
    this.view = pass.view();
    this.status = counted;
    this.fleet = view.fleet();
    this.serving = fleet.stream().filter(node -> !node.pausedOrHeld()).toList();
    this.worst = worst(fleet);
    this.refusal = pass.noted(Finding.class).or(pass.refusals()::finding);
    this.allReady = worst.isEmpty() && isComplete();
  }

  /**
   * The status with every condition, and whether the fleet makes progress.
   *
   * @param counted the status to be written, as far as it is known
   */
  static SeiNodeDeploymentStatus in(FleetPass pass, SeiNodeDeploymentStatus counted) {
    ConditionProposal stalled = new FleetConditions(pass, counted).offer();
    var drafted =
        new ConditionsDraft(
            counted.conditions(), pass.deployment().getMetadata().getGeneration(), pass.now());
    pass.proposals().forEach(drafted::put);
    return counted.with(
        builder ->
            builder
                .conditions(drafted.conditions())
                .progress(stalled.progress(counted.progress(), pass.now())));
  }

  private ConditionProposal offer() {
    ConditionProposal stalled = stalled();
    pass.offer(FleetConditionType.READY, ready());
    pass.offer(FleetConditionType.AVAILABLE, available());
    pass.offer(FleetConditionType.UP_TO_DATE, upToDate(fleet));
    pass.offer(FleetConditionType.STALLED, stalled);
    pass.offer(FleetConditionType.RECONCILING, reconciling(stalled));
    pass.offer(FleetConditionType.NODES_READY, nodesReady());
    pass.offer(FleetConditionType.PLAN_IN_PROGRESS, planInProgress());
    pass.offer(FleetConditionType.ROLLOUT_IN_PROGRESS, rolloutInProgress());
    pass.offer(FleetConditionType.PAUSED, paused());
    return stalled;
  }

  private ConditionProposal ready() {
    List<Foreign> nodesInTheWay = conflicts(SeiNode.class);
    if (!nodesInTheWay.isEmpty()) {
      return no(FleetReason.CHILD_CONFLICT, named(nodesInTheWay));
    }
    if (allReady) {
      return yes(FleetReason.ALL_NODES_READY, ready(""));
    }
    Optional<Absence> absence = worst.flatMap(FleetNode::absence);
    if (absence.isPresent() && !serving.isEmpty() && isComplete()) {
      return yes(
          absence.get().reason(),
          ready("; %s %s".formatted(worst.get().name(), absence.get().state())));
    }
    if (worst.isPresent()) {
      String reason = worst.get().readyReason();
      return ConditionProposal.of(
          false,
          reason == null ? FleetReason.NODES_INITIALIZING : new Reason.Stored(reason),
          ready("; worst is " + worst.get().name()));
    }
    return refusal
        .map(
            finding ->
                ConditionProposal.of(false, finding.reason(), ready("; " + finding.message())))
        .orElseGet(() -> no(FleetReason.NODES_INITIALIZING, ready("")));
  }

  /** Decides the condition as for a Deployment, but at least one node has to serve. */
  private ConditionProposal available() {
    int least = view.limits().leastReady(view.replicas());
    String words = ready(", at least %d needed".formatted(least));
    if (status.readyReplicas() >= least) {
      return yes(FleetReason.MINIMUM_NODES_AVAILABLE, words);
    }
    return no(view.isPaused() ? FleetReason.PAUSED : FleetReason.MINIMUM_NODES_UNAVAILABLE, words);
  }

  private ConditionProposal nodesReady() {
    if (view.isPaused()) {
      return no(FleetReason.PAUSED, ready(""));
    }
    if (fleet.stream().anyMatch(node -> node.phase() == NodePhase.FAILED)) {
      return no(FleetReason.NODES_FAILED, ready(""));
    }
    if (allReady) {
      return yes(FleetReason.ALL_NODES_READY, ready(""));
    }
    boolean running = fleet.stream().allMatch(node -> node.phase() == NodePhase.RUNNING);
    return no(running ? FleetReason.NODES_NOT_READY : FleetReason.NODES_INITIALIZING, ready(""));
  }

  private ConditionProposal stalled() {
    if (refusal.isPresent()) {
      return yes(refusal.get());
    }
    Optional<FleetNode> stalled =
        pass.verdict()
            .flatMap(RolloutVerdict::stalled)
            .or(
                () ->
                    serving.stream()
                        .filter(node -> node.stall() != null && !isYetToBeUpdated(node))
                        .findFirst());
    if (stalled.isPresent()) {
      return yes(
          new Reason.Stored(stalled.get().stall()),
          stalled.get().name() + ": " + stalled.get().stallMessage());
    }
    Optional<FleetNode> halted =
        serving.stream().filter(node -> node.unlistedHalt() != null).findFirst();
    if (halted.isPresent()) {
      return yes(
          StallReason.HALTED_AT_UPGRADE, halted.get().name() + ": " + halted.get().unlistedHalt());
    }
    if (isTemplateRolledBack()) {
      return yes(StallReason.ROLLED_BACK, templateRolledBack());
    }
    return pass.rolledBackConfiguration()
        .map(text -> yes(StallReason.ROLLED_BACK, text))
        .orElseGet(this::notStalled);
  }

  /** The record stays until the planner has seen the next template, which may be a pass later. */
  private boolean isTemplateRolledBack() {
    return view.isInForce(status.failedTemplateHash());
  }

  /**
   * Whether the fleet was given another template and has not looked at its nodes since. A node that
   * gets the new one is stalled on it only if it says so then.
   */
  private boolean isYetToBeUpdated(FleetNode node) {
    return pass.assigned() == Assigned.NOT_LOOKED_AT
        && !wasTrue(FleetConditionType.STALLED)
        && !view.pausesRollouts()
        && node.ordinal() >= view.limits().partition()
        && !node.isOn(view.target());
  }

  private String templateRolledBack() {
    return view.describe(status.failedTemplateHash())
        + " was rolled back; change the template to try again";
  }

  /** A node whose spec has just changed is not known to be stalled, and may be all the same. */
  private ConditionProposal notStalled() {
    boolean was =
        Optional.ofNullable(status.progress()).filter(Progress::hasYetToRecover).isPresent();
    boolean isWell =
        status.rollout() == null
            && isComplete()
            && fleet.stream()
                .allMatch(node -> node.pausedOrHeld() || (node.isReady() && node.upToDate()));
    return was && !isWell
        ? no(FleetReason.RECOVERING, "no node is stalled; not all nodes are Ready and up to date")
        : no(FleetReason.NOT_STALLED, "no node is stalled");
  }

  /** Reports work in progress: where nodes are paused or held, that of the others. */
  private ConditionProposal reconciling(ConditionProposal stalled) {
    if (stalled.status() == ConditionStatus.TRUE) {
      return no(stalled.reason(), Finding.NOT_RECONCILING);
    }
    if (view.isPaused()) {
      ConditionProposal paused = paused();
      return ConditionProposal.of(
          paused.status() != ConditionStatus.TRUE, paused.reason(), paused.message());
    }
    if (status.rollout() != null) {
      ConditionProposal rollout = rolloutInProgress();
      return yes(rollout.reason(), rollout.message());
    }
    if (view.pausesRollouts() && isHalfWay()) {
      return yes(
          FleetReason.PAUSED, "spec.updateStrategy.paused is true, and a rollout is half-way");
    }
    ConditionProposal ready = ready();
    if (ready.status() != ConditionStatus.TRUE && !(isComplete() && serving.isEmpty())) {
      return yes(ready.reason(), ready.message());
    }
    Optional<FleetNode> busy = serving.stream().filter(node -> !node.upToDate()).findFirst();
    if (busy.isPresent()) {
      return yes(FleetReason.OUTDATED, notYetUpToDate(busy.get()));
    }
    if (view.pausesRollouts()) {
      return no(FleetReason.PAUSED, "spec.updateStrategy.paused is true, and no rollout has begun");
    }
    ConditionProposal upToDate = upToDate(serving);
    if (upToDate.status() != ConditionStatus.TRUE) {
      return yes(upToDate.reason(), upToDate.message());
    }
    Optional<Absence> absence = worst.flatMap(FleetNode::absence);
    if (absence.isPresent()) {
      return no(absence.get().reason(), worst.get().name() + " " + absence.get().state());
    }
    return belowPartition().isEmpty()
        ? no(FleetReason.UP_TO_DATE, "every node is Ready and runs what the spec asks for")
        : no(FleetReason.PARTITION_REACHED, upToDate.message());
  }

  /** Whether rollouts were paused after nodes were given another template or configuration. */
  private boolean isHalfWay() {
    Rollout rollout = status.pausedRollout();
    boolean hasBegun =
        rollout != null && fleet.stream().anyMatch(node -> rollout.isAdmitted(node.name()));
    FleetConfiguration configuration = status.configuration();
    boolean isConfiguring =
        pass.configuring().isPresent()
            && configuration != null
            && configuration.nodes() != null
            && !configuration.nodes().isEmpty();
    return hasBegun || isConfiguring;
  }

  private boolean isComplete() {
    return fleet.size() == view.replicas();
  }

  /** Names of the nodes that the partition keeps on an earlier template. */
  private List<String> belowPartition() {
    return fleet.stream()
        .filter(node -> node.ordinal() < view.limits().partition())
        .filter(node -> !node.isOn(view.templateHash()))
        .map(FleetNode::name)
        .toList();
  }

  private ConditionProposal upToDate(List<FleetNode> nodes) {
    List<Foreign> inTheWay = conflicts(Service.class);
    if (refusal.isPresent()) {
      return no(refusal.get());
    }
    if (!inTheWay.isEmpty()) {
      return no(FleetReason.SERVICE_CONFLICT, named(inTheWay));
    }
    if (isTemplateRolledBack()) {
      return no(FleetReason.ROLLED_BACK, templateRolledBack());
    }
    if (pass.rolledBackConfiguration().isPresent()) {
      return no(FleetReason.ROLLED_BACK, pass.rolledBackConfiguration().get());
    }
    List<FleetNode> meant =
        nodes.stream().filter(node -> node.ordinal() >= view.limits().partition()).toList();
    boolean allUpdated =
        isComplete() && meant.stream().allMatch(node -> node.runs(view.templateHash()));
    if (status.rollout() != null || !allUpdated) {
      return no(
          status.rollout() == null ? FleetReason.OUTDATED : FleetReason.ROLLING_OUT,
          status.updated() + " nodes run what the spec asks for");
    }
    if (!isAssigned()) {
      return no(FleetReason.OUTDATED, "the template is being applied to the nodes");
    }
    if (pass.configuring().isPresent()) {
      return no(FleetReason.ROLLING_OUT, pass.configuring().get());
    }
    Optional<FleetNode> busy = meant.stream().filter(node -> !node.upToDate()).findFirst();
    if (busy.isPresent()) {
      return no(FleetReason.OUTDATED, notYetUpToDate(busy.get()));
    }
    List<String> kept = belowPartition();
    return yes(
        FleetReason.UP_TO_DATE,
        kept.isEmpty()
            ? "every node runs what the spec asks for"
            : "every node from partition %d on runs what the spec asks for; on an earlier template: %s"
                .formatted(view.limits().partition(), String.join(", ", kept)));
  }

  private static String notYetUpToDate(FleetNode node) {
    return node.name() + " is not up to date yet; see its condition UpToDate";
  }

  private boolean isAssigned() {
    return switch (pass.assigned()) {
      case NOT_LOOKED_AT -> wasTrue(FleetConditionType.UP_TO_DATE);
      case NOT_YET -> false;
      case EVERY_NODE -> true;
    };
  }

  /** Whether a condition was True of the spec as it is now. */
  private boolean wasTrue(FleetConditionType type) {
    Long generation = pass.deployment().getMetadata().getGeneration();
    return stored(type)
        .filter(Condition::isTrue)
        .filter(condition -> generation.equals(condition.observedGeneration()))
        .isPresent();
  }

  private ConditionProposal planInProgress() {
    if (status.plan() != null && status.plan().isActive()) {
      return yes(FleetReason.PLAN_STARTED, "rolling out");
    }
    if (view.pausesRollouts()) {
      return no(FleetReason.PAUSED, "rollouts are paused");
    }
    return view.stored().plan() == null
        ? asEnded(FleetConditionType.PLAN_IN_PROGRESS, "no plan yet")
        : no(FleetReason.PLAN_COMPLETE, "the plan is complete");
  }

  private ConditionProposal rolloutInProgress() {
    boolean back = status.failedTemplateHash() != null;
    if (status.rollout() != null) {
      String target = view.describe(status.rollout().targetHash());
      if (!back) {
        return yes(FleetReason.TEMPLATE_CHANGED, "rolling out " + target + obstacle());
      }
      String failed = view.describe(status.failedTemplateHash());
      return view.templateHash().equals(status.failedTemplateHash())
          ? yes(
              FleetReason.ROLLING_BACK,
              "%s stalled; rolling back to %s%s".formatted(failed, target, obstacle()))
          : yes(
              FleetReason.TEMPLATE_CHANGED,
              "restarting on %s, because %s was rolled back".formatted(target, failed));
    }
    if (view.pausesRollouts()) {
      return no(FleetReason.PAUSED, "rollouts are paused");
    }
    if (pass.configuring().isPresent()) {
      return yes(FleetReason.CONFIGURATION_CHANGED, pass.configuring().get());
    }
    if (pass.rolledBackConfiguration().isPresent()) {
      return no(FleetReason.ROLLED_BACK, pass.rolledBackConfiguration().get());
    }
    if (view.stored().rollout() == null) {
      return wasConfiguring()
          ? no(FleetReason.ROLLOUT_COMPLETE, "every node has the configuration")
          : asEnded(FleetConditionType.ROLLOUT_IN_PROGRESS, "no rollout yet");
    }
    String target = view.describe(view.stored().rollout().targetHash());
    return back
        ? no(FleetReason.ROLLED_BACK, target + " is restored")
        : no(FleetReason.ROLLOUT_COMPLETE, target + " is rolled out");
  }

  private boolean wasConfiguring() {
    return stored(FleetConditionType.ROLLOUT_IN_PROGRESS)
        .filter(condition -> condition.isFor(FleetReason.CONFIGURATION_CHANGED))
        .isPresent();
  }

  /** Returns the obstacle that makes a rollout wait for the user. */
  private String obstacle() {
    return pass.verdict()
        .flatMap(RolloutVerdict::obstacleWords)
        .map(obstacleWords -> "; " + obstacleWords)
        .orElse("");
  }

  private ConditionProposal paused() {
    long running = fleet.stream().filter(node -> !node.stopped()).count();
    if (view.isPaused()) {
      return running > 0
          ? no(FleetReason.PAUSING, "spec.paused is true; nodes still stopping: " + running)
          : yes(FleetReason.PAUSED, "spec.paused is true: every node is stopped");
    }
    return view.pausesRollouts()
        ? yes(
            FleetReason.PAUSED,
            "spec.updateStrategy.paused is true: rollouts are paused, nodes keep running")
        : no(FleetReason.NOT_PAUSED, "nothing is paused");
  }

  /**
   * The node to look at first: failed before stalled before down for a cause before restarted as
   * planned, then by ordinal; one that is paused or held after all others.
   */
  private static Optional<FleetNode> worst(List<FleetNode> fleet) {
    return fleet.stream()
        .filter(node -> !node.isReady())
        .min(
            Comparator.comparing(FleetNode::pausedOrHeld)
                .thenComparing(node -> node.phase() != NodePhase.FAILED)
                .thenComparing(node -> node.stall() == null)
                .thenComparing(node -> isRestarted(node))
                .thenComparing(FleetNode::ordinal));
  }

  private static boolean isRestarted(FleetNode node) {
    return node.readyReason() == null || NodeReason.isOfReplacement(node.readyReason());
  }

  private List<Foreign> conflicts(Class<?> type) {
    return pass.conflicts().stream()
        .filter(foreign -> type.isInstance(foreign.rendered()))
        .toList();
  }

  private static String named(List<Foreign> conflicts) {
    return conflicts.stream()
        .map(
            foreign ->
                "%s %s belongs to %s"
                    .formatted(
                        foreign.rendered().getKind(),
                        foreign.rendered().getMetadata().getName(),
                        foreign.owner()))
        .collect(Collectors.joining("; "));
  }

  private String ready(String more) {
    return "%d/%d nodes ready%s".formatted(status.readyReplicas(), view.replicas(), more);
  }

  /** Returns the outcome of the last one, if there was one. */
  private ConditionProposal asEnded(FleetConditionType type, String never) {
    return stored(type)
        .filter(FleetConditions::hasEnded)
        .map(
            condition -> ConditionProposal.of(false, condition.storedReason(), condition.message()))
        .orElseGet(() -> no(FleetReason.NOT_STARTED, never));
  }

  /** Any other reason that a stored condition may have is not ours. */
  private static boolean hasEnded(Condition progress) {
    return !progress.isTrue()
        && progress.isFor(
            FleetReason.PLAN_COMPLETE, FleetReason.ROLLOUT_COMPLETE, FleetReason.ROLLED_BACK);
  }

  private Optional<Condition> stored(FleetConditionType type) {
    return view.stored().condition(type);
  }
}
