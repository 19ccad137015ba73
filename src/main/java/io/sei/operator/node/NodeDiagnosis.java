package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Evidence;
import io.sei.operator.diagnosis.EvidenceBuilder;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.SidecarTrouble;
import io.sei.operator.node.feature.AppliedUpgrades;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.node.objects.BootstrapTasks;
import io.sei.operator.node.objects.ClaimGuard;
import io.sei.operator.node.objects.RestoredClaim;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.render.Bootstrap;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.sidecar.SidecarHealth;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** Collects the evidence of a reconcile and has it judged. */
public record NodeDiagnosis(LiveEvidence live, CrashLogs logs) {

  private static final Set<NodeReason> OF_SNAPSHOTS =
      Set.of(
          NodeReason.SNAPSHOT_NOT_FOUND,
          NodeReason.SNAPSHOT_NOT_READY,
          NodeReason.SNAPSHOT_REFUSED);

  /** Why the node does not progress, if its objects show a cause. */
  public Optional<Finding> of(NodePass pass) {
    Optional<String> fleet = Labels.of(pass.node(), Labels.NODE_DEPLOYMENT);
    Optional<Finding> finding = ofObjects(pass);
    return fleet.isEmpty() ? finding : finding.map(found -> found.onNodeOf(fleet.get()));
  }

  private Optional<Finding> ofObjects(NodePass pass) {
    Optional<Finding> unrestored = unrestored(pass.draft());
    if (unrestored.isPresent()) {
      return unrestored;
    }
    Evidence evidence = evidence(pass);
    return Diagnosis.of(evidence, pass.view().now())
        .filter(
            finding ->
                finding.reason() != StallReason.CRASH_LOOP || !isReadingLog(pass, evidence.pod()))
        .or(() -> notImported(pass.draft()));
  }

  /**
   * Returns whether the log of a pod may yet show why seid ended. A plan's task may ask before the
   * first pass after a start of the operator has begun to read logs.
   */
  boolean isReadingLog(NodePass pass, Pod pod) {
    ResourceID id = ResourceID.fromResource(pass.node());
    logs.look(id, pod);
    return logs.isReading(id, pod);
  }

  /** There is no claim yet, and so nothing else to look at. */
  private static Optional<Finding> unrestored(SeiNodeStatus status) {
    return unfinishedTask(status)
        .filter(task -> TaskTypes.ENSURE_DATA_PVC.equals(task.type()))
        .filter(task -> OF_SNAPSHOTS.stream().anyMatch(task::waitsFor))
        .map(
            task ->
                new Finding(
                    StallReason.VOLUME_PENDING,
                    task.message(),
                    RestoredClaim.NEXT_STEP,
                    !task.waitsFor(NodeReason.SNAPSHOT_NOT_READY)));
  }

  /** There is no pod yet, since the claim to import cannot be used. */
  private static Optional<Finding> notImported(SeiNodeStatus status) {
    return unfinishedTask(status)
        .filter(
            task -> task.waitsFor(NodeReason.PVC_NOT_READY) || task.waitsFor(NodeReason.PVC_IN_USE))
        .map(
            task ->
                new Finding(
                    StallReason.VOLUME_PENDING,
                    task.message(),
                    task.waitsFor(NodeReason.PVC_IN_USE)
                        ? ClaimGuard.NEXT_STEP
                        : "create it, or see in its Events why it is not Bound",
                    false));
  }

  private Evidence evidence(NodePass pass) {
    NodeView view = pass.view();
    boolean bootstraps = isBootstrapping(pass.draft());
    Optional<Pod> pod = bootstraps ? view.bootstrapPods().stream().findFirst() : view.ownedPod();
    Optional<PlannedTask> task = unfinishedTask(pass.draft());
    SidecarTrouble trouble = trouble(view, task);
    String lostSignatures = lostSignatures(pass);
    return EvidenceBuilder.builder()
        .pod(pod.orElse(null))
        .newPod(pod.filter(candidate -> bootstraps || isNew(pass, candidate)).isPresent())
        .stalePod(pod.filter(candidate -> !isWanted(pass, candidate)).isPresent())
        .image(pod.flatMap(view::imageOf).orElse(null))
        .upgrade(bootstraps ? null : view.runningUpgrade().map(UpgradeStatus::name).orElse(null))
        .imageField(bootstraps ? Bootstrap.imageField(view.node().getSpec()) : null)
        .imageRewrite(bootstraps ? null : view.imageRewrite().orElse(null))
        .listed(AppliedUpgrades.listed(view.node().getSpec()).toList())
        .upgradesPaused(Boolean.TRUE.equals(view.node().getSpec().upgradesPaused()))
        .refusal(pass.refusals().finding().orElse(null))
        .claim(view.claim().orElse(null))
        .claimName(
            lostSignatures != null || isClaimWatched(view, pod) ? Names.claim(view.node()) : null)
        .lostSignatures(lostSignatures)
        .ownSignatures(hasOwnSignatures(pass))
        .awaited(pass.found().orElse(null))
        .events(live.ofWaiting(pass, pod))
        .node(pod.flatMap(candidate -> live.ofKubernetesNode(pass, candidate)).orElse(null))
        .sidecarTrouble(trouble)
        .sidecarMessage(task.map(plannedTask -> words(trouble, plannedTask)).orElse(null))
        .retried(isRetried(pass.draft().plan()))
        .statefulSetConflict(pass.conflict().orElse(null))
        .currentTask(task.map(PlannedTask::type).orElse(null))
        .build();
  }

  private static boolean hasOwnSignatures(NodePass pass) {
    Optional<Duration> left =
        Optional.ofNullable(pass.draft().ownSignatures())
            .flatMap(signatures -> signatures.explainFor(pass.view().now()));
    left.ifPresent(pass::recheckAfter);
    return left.isPresent();
  }

  private static String lostSignatures(NodePass pass) {
    NodeView view = pass.view();
    boolean lost = view.node().getSpec().signingKeySecret().isPresent() && view.hasLostItsClaim();
    return pass.claimRefusal().orElse(lost ? "is gone" : null);
  }

  /** A plan that failed has said why itself, and the pod of its Job says no more. */
  private static boolean isBootstrapping(SeiNodeStatus status) {
    return BootstrapTasks.isUnderWay(status.plan()) && status.plan().isActive();
  }

  /** A failed init plan waits for the user; another plan is made again after a pause. */
  private static boolean isRetried(TaskPlan plan) {
    return plan != null && (plan.isActive() || plan.kind() != PlanKind.INIT);
  }

  /** A fault of the configuration fails a second time; a fault of a disk may not. */
  private static SidecarTrouble failed(PlannedTask task) {
    boolean givenUp = task.status() == TaskStatus.FAILED;
    if (SidecarTaskTypes.OF_CONFIGURATION.contains(task.type())
        && (givenUp || task.retries() > 1)) {
      return SidecarTrouble.CONFIGURATION_REFUSED;
    }
    return givenUp ? SidecarTrouble.TASK_GIVEN_UP : SidecarTrouble.TASK_FAILED;
  }

  /** An imported claim is not in the caches, so its absence there means nothing. */
  private static boolean isClaimWatched(NodeView view, Optional<Pod> pod) {
    return view.claim().isPresent()
        || ((pod.isPresent() || view.pod().isPresent())
            && Names.importedClaim(view.node()).isEmpty());
  }

  /** The task a plan waits for, or that it failed at. */
  private static Optional<PlannedTask> unfinishedTask(SeiNodeStatus status) {
    return Optional.ofNullable(status.plan()).flatMap(TaskPlan::currentTask);
  }

  /**
   * Returns the message of the sidecar. While a task that failed runs again, that is what it last
   * failed with. A task of the operator waits with the last finding as its message, which must not
   * quote itself.
   */
  static String words(SidecarTrouble trouble, PlannedTask task) {
    if (!TaskTypes.isOfSidecar(task.type())) {
      return null;
    }
    return trouble.isOfTask() || task.message() == null ? task.error() : task.message();
  }

  /**
   * Whether a pod was made for what is wanted now and has yet to show that it can run. A plan may
   * end before its pod has crashed often enough to be judged, as it does not wait for readiness.
   */
  private static boolean isNew(NodePass pass, Pod pod) {
    boolean isMadeByPlan =
        activePlan(pass)
            .filter(plan -> plan.kind() == PlanKind.INIT || plan.kind() == PlanKind.UPDATE)
            .isPresent();
    return isWanted(pass, pod) && (isMadeByPlan || !PodFacts.wasReady(pod));
  }

  private static boolean isWanted(NodePass pass, Pod pod) {
    String wanted =
        activePlan(pass).map(plan -> plan.target().specHash()).orElse(pass.view().specHash());
    return pass.view().stampOf(pod).equals(Optional.ofNullable(wanted));
  }

  private static Optional<TaskPlan> activePlan(NodePass pass) {
    return Optional.ofNullable(pass.draft().plan())
        .filter(TaskPlan::isActive)
        .filter(plan -> plan.target() != null);
  }

  private static SidecarTrouble trouble(NodeView view, Optional<PlannedTask> task) {
    if (task.filter(waiting -> waiting.waitsFor(StallReason.SIDECAR_UNREACHABLE)).isPresent()) {
      return SidecarTrouble.UNREACHABLE;
    }
    if (task.filter(waiting -> waiting.waitsFor(StallReason.SIDECAR_FORBIDDEN)).isPresent()) {
      return SidecarTrouble.FORBIDDEN;
    }
    if (task.filter(waiting -> waiting.waitsFor(StallReason.SIDECAR_NOT_ASKED)).isPresent()) {
      return SidecarTrouble.NOT_ASKED;
    }
    if (task.filter(waiting -> waiting.waitsFor(StallReason.SIDECAR_UNSUPPORTED)).isPresent()) {
      return SidecarTrouble.UNSUPPORTED;
    }
    Optional<PlannedTask> failed =
        task.filter(candidate -> TaskTypes.isOfSidecar(candidate.type()))
            .filter(candidate -> candidate.error() != null);
    if (failed.isPresent()) {
      return failed(failed.get());
    }
    return view.sidecar()
        .map(
            health ->
                health == SidecarHealth.UNREACHABLE
                    ? SidecarTrouble.UNREACHABLE
                    : health == SidecarHealth.FORBIDDEN
                        ? SidecarTrouble.FORBIDDEN
                        : SidecarTrouble.NONE)
        .orElse(SidecarTrouble.NONE);
  }
}
