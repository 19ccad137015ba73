package io.sei.operator.fleet.status;

import io.fabric8.kubernetes.api.model.Service;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
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
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetNode.Absence;
import io.sei.operator.fleet.model.FleetReconcile;
import io.sei.operator.fleet.model.FleetReport;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.fleet.model.RolloutVerdict;
import io.sei.operator.kube.OwnedObjects.Outcome.Foreign;
import io.sei.operator.reconcile.StatusDraft;
import io.sei.operator.reconcile.Verdict;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The conditions of a deployment, one method each: the first line that applies decides. */
final class FleetConditions {

  private final FleetReconcile reconcile;
  private final FleetSnapshot snapshot;
  private final SeiNodeDeploymentStatus status;
  private final List<FleetNode> fleet;

  /** The nodes that are neither paused nor held, by which a fleet is judged. */
  private final List<FleetNode> serving;

  private final Optional<FleetNode> worst;
  private final Optional<Finding> refusal;
  private final boolean allReady;

  private FleetConditions(FleetReconcile reconcile, SeiNodeDeploymentStatus counted) {
    this.reconcile = reconcile;
    this.snapshot = reconcile.snapshot();
    this.status = counted;
    this.fleet = snapshot.fleet();
    this.serving = fleet.stream().filter(node -> !node.paused()).toList();
    this.worst = worst(fleet);
    this.refusal = reconcile.noted(Finding.class).or(reconcile.refusals()::finding);
    this.allReady = worst.isEmpty() && isComplete();
  }

  /**
   * The status with every condition, and whether the fleet makes progress.
   *
   * @param counted the status to be written, as far as it is known
   * @param report what features say
   */
  static SeiNodeDeploymentStatus in(
      FleetReconcile reconcile, SeiNodeDeploymentStatus counted, FleetReport report) {
    var conditions = new FleetConditions(reconcile, counted);
    Verdict stalled = conditions.stalled(report.rolledBack());
    conditions.reportTo(report, stalled);
    var draft =
        new StatusDraft(
            counted.conditions(),
            reconcile.deployment().getMetadata().getGeneration(),
            reconcile.now());
    report.writeTo(draft);
    return counted.with(
        it ->
            it.conditions(draft.conditions())
                .progress(stalled.progress(counted.progress(), reconcile.now())));
  }

  private void reportTo(FleetReport report, Verdict stalled) {
    report.says(FleetConditionType.READY, ready());
    report.says(FleetConditionType.AVAILABLE, available());
    report.says(FleetConditionType.UP_TO_DATE, upToDate(fleet, report));
    report.says(FleetConditionType.STALLED, stalled);
    report.says(FleetConditionType.RECONCILING, reconciling(stalled, report));
    report.says(FleetConditionType.NODES_READY, nodesReady());
    report.says(FleetConditionType.PLAN_IN_PROGRESS, planInProgress());
    report.says(FleetConditionType.ROLLOUT_IN_PROGRESS, rolloutInProgress());
    report.says(FleetConditionType.PAUSED, paused());
  }

  private Verdict ready() {
    List<Foreign> nodesInTheWay = conflicts(SeiNode.class);
    if (!nodesInTheWay.isEmpty()) {
      return Verdict.no(FleetReason.CHILD_CONFLICT, named(nodesInTheWay));
    }
    if (allReady) {
      return Verdict.yes(FleetReason.ALL_NODES_READY, ready(""));
    }
    Optional<Absence> absence = worst.flatMap(FleetNode::absence);
    if (absence.isPresent() && !serving.isEmpty() && isComplete()) {
      return Verdict.yes(
          absence.get().reason(),
          ready("; %s %s".formatted(worst.get().name(), absence.get().state())));
    }
    if (worst.isPresent()) {
      String reason = worst.get().readyReason();
      return Verdict.of(
          false,
          reason == null ? FleetReason.NODES_INITIALIZING : new Reason.Stored(reason),
          ready("; worst is " + worst.get().name()));
    }
    return refusal
        .map(it -> Verdict.of(false, it.reason(), ready("; " + it.message())))
        .orElseGet(() -> Verdict.no(FleetReason.NODES_INITIALIZING, ready("")));
  }

  /** As of a Deployment, but one node at least has to serve. */
  private Verdict available() {
    int wanted = snapshot.replicas();
    int least = Math.min(wanted, Math.max(1, wanted - snapshot.limits().maxUnavailable()));
    String words = ready(", at least %d needed".formatted(least));
    if (status.readyReplicas() >= least) {
      return Verdict.yes(FleetReason.MINIMUM_NODES_AVAILABLE, words);
    }
    return Verdict.no(
        snapshot.isPaused() ? FleetReason.PAUSED : FleetReason.MINIMUM_NODES_UNAVAILABLE, words);
  }

  private Verdict nodesReady() {
    if (snapshot.isPaused()) {
      return Verdict.no(FleetReason.PAUSED, ready(""));
    }
    if (fleet.stream().anyMatch(node -> node.phase() == NodePhase.FAILED)) {
      return Verdict.no(FleetReason.NODES_FAILED, ready(""));
    }
    if (allReady) {
      return Verdict.yes(FleetReason.ALL_NODES_READY, ready(""));
    }
    boolean running = fleet.stream().allMatch(node -> node.phase() == NodePhase.RUNNING);
    return Verdict.no(
        running ? FleetReason.NODES_NOT_READY : FleetReason.NODES_INITIALIZING, ready(""));
  }

  private Verdict stalled(Optional<String> configurationRolledBack) {
    if (refusal.isPresent()) {
      return Verdict.yes(refusal.get());
    }
    Optional<FleetNode> stalled =
        reconcile
            .verdict()
            .flatMap(RolloutVerdict::stalled)
            .or(() -> serving.stream().filter(node -> node.stall() != null).findFirst());
    if (stalled.isPresent()) {
      return Verdict.yes(
          new Reason.Stored(stalled.get().stall()),
          stalled.get().name() + ": " + stalled.get().stallMessage());
    }
    Optional<FleetNode> halted =
        serving.stream().filter(node -> node.unlistedHalt() != null).findFirst();
    if (halted.isPresent()) {
      return Verdict.yes(
          StallReason.HALTED_AT_UPGRADE, halted.get().name() + ": " + halted.get().unlistedHalt());
    }
    if (status.failedTemplateHash() != null) {
      return Verdict.yes(StallReason.ROLLED_BACK, templateRolledBack());
    }
    return configurationRolledBack
        .map(it -> Verdict.yes(StallReason.ROLLED_BACK, it))
        .orElseGet(this::notStalled);
  }

  private String templateRolledBack() {
    return snapshot.describe(status.failedTemplateHash())
        + " was rolled back; change the template to try again";
  }

  /** A node whose spec has just changed is not known to be stalled, and may be all the same. */
  private Verdict notStalled() {
    boolean was =
        Optional.ofNullable(status.progress()).filter(Progress::hasYetToRecover).isPresent();
    boolean isWell =
        status.rollout() == null
            && isComplete()
            && fleet.stream().allMatch(it -> it.paused() || (it.isReady() && it.upToDate()));
    return was && !isWell
        ? Verdict.no(
            FleetReason.RECOVERING, "no node is stalled; not all nodes are Ready and up to date")
        : Verdict.no(FleetReason.NOT_STALLED, "no node is stalled");
  }

  /** Work that goes on: where nodes are paused or held, that of the others. */
  private Verdict reconciling(Verdict stalled, FleetReport report) {
    if (stalled.status() == ConditionStatus.TRUE) {
      return Verdict.no(stalled.reason(), Finding.NOT_RECONCILING);
    }
    if (snapshot.isPaused()) {
      Verdict paused = paused();
      return Verdict.of(paused.status() != ConditionStatus.TRUE, paused.reason(), paused.message());
    }
    if (status.rollout() != null) {
      Verdict rollout = rolloutInProgress();
      return Verdict.yes(rollout.reason(), rollout.message());
    }
    if (snapshot.pausesRollouts() && isHalfWay(report)) {
      return Verdict.yes(
          FleetReason.PAUSED, "spec.updateStrategy.paused is true, and a rollout is half-way");
    }
    Verdict ready = ready();
    if (ready.status() != ConditionStatus.TRUE && !(isComplete() && serving.isEmpty())) {
      return Verdict.yes(ready.reason(), ready.message());
    }
    Optional<FleetNode> busy = serving.stream().filter(node -> !node.upToDate()).findFirst();
    if (busy.isPresent()) {
      return Verdict.yes(FleetReason.OUTDATED, notYetUpToDate(busy.get()));
    }
    if (snapshot.pausesRollouts()) {
      return Verdict.no(
          FleetReason.PAUSED, "spec.updateStrategy.paused is true, and no rollout has begun");
    }
    Verdict upToDate = upToDate(serving, report);
    if (upToDate.status() != ConditionStatus.TRUE) {
      return Verdict.yes(upToDate.reason(), upToDate.message());
    }
    Optional<Absence> absence = worst.flatMap(FleetNode::absence);
    if (absence.isPresent()) {
      return Verdict.no(absence.get().reason(), worst.get().name() + " " + absence.get().state());
    }
    return belowPartition().isEmpty()
        ? Verdict.no(FleetReason.UP_TO_DATE, "every node is Ready and runs what the spec asks for")
        : Verdict.no(FleetReason.PARTITION_REACHED, upToDate.message());
  }

  /** Whether rollouts were paused after nodes were given another template or configuration. */
  private boolean isHalfWay(FleetReport report) {
    Rollout rollout = status.pausedRollout();
    boolean hasBegun =
        rollout != null && fleet.stream().anyMatch(node -> rollout.isAdmitted(node.name()));
    FleetConfiguration configuration = status.configuration();
    boolean isConfiguring =
        report.isConfiguring()
            && configuration != null
            && configuration.nodes() != null
            && !configuration.nodes().isEmpty();
    return hasBegun || isConfiguring;
  }

  private boolean isComplete() {
    return fleet.size() == snapshot.replicas();
  }

  /** Names of the nodes that the partition keeps on an earlier template. */
  private List<String> belowPartition() {
    return fleet.stream()
        .filter(node -> node.ordinal() < snapshot.limits().partition())
        .filter(node -> !node.isOn(snapshot.templateHash()))
        .map(FleetNode::name)
        .toList();
  }

  private Verdict upToDate(List<FleetNode> nodes, FleetReport report) {
    List<Foreign> inTheWay = conflicts(Service.class);
    if (refusal.isPresent()) {
      return Verdict.no(refusal.get());
    }
    if (!inTheWay.isEmpty()) {
      return Verdict.no(FleetReason.SERVICE_CONFLICT, named(inTheWay));
    }
    if (status.failedTemplateHash() != null) {
      return Verdict.no(FleetReason.ROLLED_BACK, templateRolledBack());
    }
    if (report.rolledBack().isPresent()) {
      return Verdict.no(FleetReason.ROLLED_BACK, report.rolledBack().get());
    }
    List<FleetNode> meant =
        nodes.stream().filter(node -> node.ordinal() >= snapshot.limits().partition()).toList();
    boolean allUpdated =
        isComplete() && meant.stream().allMatch(node -> node.runs(snapshot.templateHash()));
    if (status.rollout() != null || !allUpdated) {
      return Verdict.no(
          status.rollout() == null ? FleetReason.OUTDATED : FleetReason.ROLLING_OUT,
          status.updated() + " nodes run what the spec asks for");
    }
    if (!isAssigned()) {
      return Verdict.no(FleetReason.OUTDATED, "the template is being applied to the nodes");
    }
    if (report.outdated().isPresent()) {
      return Verdict.no(FleetReason.ROLLING_OUT, report.outdated().get());
    }
    Optional<FleetNode> busy = meant.stream().filter(node -> !node.upToDate()).findFirst();
    if (busy.isPresent()) {
      return Verdict.no(FleetReason.OUTDATED, notYetUpToDate(busy.get()));
    }
    List<String> kept = belowPartition();
    return Verdict.yes(
        FleetReason.UP_TO_DATE,
        kept.isEmpty()
            ? "every node runs what the spec asks for"
            : "every node from partition %d on runs what the spec asks for; on an earlier template: %s"
                .formatted(snapshot.limits().partition(), String.join(", ", kept)));
  }

  private static String notYetUpToDate(FleetNode node) {
    return node.name() + " is not up to date yet; see its condition UpToDate";
  }

  private boolean isAssigned() {
    return switch (reconcile.assigned()) {
      case NOT_LOOKED_AT -> wasUpToDate();
      case NOT_YET -> false;
      case EVERY_NODE -> true;
    };
  }

  /** Whether that was said of the spec as it is now. */
  private boolean wasUpToDate() {
    return stored(FleetConditionType.UP_TO_DATE)
        .filter(Condition::isTrue)
        .filter(
            it ->
                reconcile
                    .deployment()
                    .getMetadata()
                    .getGeneration()
                    .equals(it.observedGeneration()))
        .isPresent();
  }

  private Verdict planInProgress() {
    if (status.plan() != null && status.plan().isActive()) {
      return Verdict.yes(FleetReason.PLAN_STARTED, "rolling out");
    }
    if (snapshot.pausesRollouts()) {
      return Verdict.no(FleetReason.PAUSED, "rollouts are paused");
    }
    return snapshot.status().plan() == null
        ? asEnded(FleetConditionType.PLAN_IN_PROGRESS, "no plan yet")
        : Verdict.no(FleetReason.PLAN_COMPLETE, "the plan is complete");
  }

  private Verdict rolloutInProgress() {
    boolean back = status.failedTemplateHash() != null;
    if (status.rollout() != null) {
      String target = snapshot.describe(status.rollout().targetHash());
      if (!back) {
        return Verdict.yes(FleetReason.TEMPLATE_CHANGED, "rolling out " + target + obstacle());
      }
      String failed = snapshot.describe(status.failedTemplateHash());
      return snapshot.templateHash().equals(status.failedTemplateHash())
          ? Verdict.yes(
              FleetReason.ROLLING_BACK,
              "%s stalled; rolling back to %s%s".formatted(failed, target, obstacle()))
          : Verdict.yes(
              FleetReason.TEMPLATE_CHANGED,
              "restarting on %s, because %s was rolled back".formatted(target, failed));
    }
    if (snapshot.pausesRollouts()) {
      return Verdict.no(FleetReason.PAUSED, "rollouts are paused");
    }
    if (snapshot.status().rollout() == null) {
      return asEnded(FleetConditionType.ROLLOUT_IN_PROGRESS, "no rollout yet");
    }
    String target = snapshot.describe(snapshot.status().rollout().targetHash());
    return back
        ? Verdict.no(FleetReason.ROLLED_BACK, target + " is restored")
        : Verdict.no(FleetReason.ROLLOUT_COMPLETE, target + " is rolled out");
  }

  /** What a rollout waits for that does not go by itself. */
  private String obstacle() {
    return reconcile
        .verdict()
        .flatMap(RolloutVerdict::obstacleWords)
        .map(it -> "; " + it)
        .orElse("");
  }

  private Verdict paused() {
    long running = fleet.stream().filter(node -> !node.stopped()).count();
    if (snapshot.isPaused()) {
      return running > 0
          ? Verdict.no(FleetReason.PAUSING, "spec.paused is true; nodes still stopping: " + running)
          : Verdict.yes(FleetReason.PAUSED, "spec.paused is true: every node is stopped");
    }
    return snapshot.pausesRollouts()
        ? Verdict.yes(
            FleetReason.PAUSED,
            "spec.updateStrategy.paused is true: rollouts are paused, nodes keep running")
        : Verdict.no(FleetReason.NOT_PAUSED, "nothing is paused");
  }

  /**
   * The node to look at first: failed before stalled before down for a cause before restarted as
   * planned, then by ordinal; one that is paused or held after all others.
   */
  private static Optional<FleetNode> worst(List<FleetNode> fleet) {
    return fleet.stream()
        .filter(node -> !node.isReady())
        .min(
            Comparator.comparing(FleetNode::paused)
                .thenComparing(node -> node.phase() != NodePhase.FAILED)
                .thenComparing(node -> node.stall() == null)
                .thenComparing(node -> isRestarted(node))
                .thenComparing(FleetNode::ordinal));
  }

  private static boolean isRestarted(FleetNode node) {
    return node.readyReason() == null || NodeReason.isOfReplacement(node.readyReason());
  }

  private List<Foreign> conflicts(Class<?> type) {
    return reconcile.conflicts().stream().filter(it -> type.isInstance(it.rendered())).toList();
  }

  private static String named(List<Foreign> conflicts) {
    return conflicts.stream()
        .map(
            it ->
                "%s %s belongs to %s"
                    .formatted(
                        it.rendered().getKind(), it.rendered().getMetadata().getName(), it.owner()))
        .collect(Collectors.joining("; "));
  }

  private String ready(String more) {
    return "%d/%d nodes ready%s".formatted(status.readyReplicas(), snapshot.replicas(), more);
  }

  /** How the last one ended, if there has been one. */
  private Verdict asEnded(FleetConditionType type, String never) {
    return stored(type)
        .filter(FleetConditions::hasEnded)
        .map(it -> Verdict.of(false, it.storedReason(), it.message()))
        .orElseGet(() -> Verdict.no(FleetReason.NOT_STARTED, never));
  }

  /** Any other reason that a stored condition may have is not ours. */
  private static boolean hasEnded(Condition progress) {
    return !progress.isTrue()
        && progress.isFor(
            FleetReason.PLAN_COMPLETE, FleetReason.ROLLOUT_COMPLETE, FleetReason.ROLLED_BACK);
  }

  private Optional<Condition> stored(FleetConditionType type) {
    return Conditions.find(snapshot.status().conditions(), type);
  }
}
