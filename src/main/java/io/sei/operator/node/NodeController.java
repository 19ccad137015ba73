package io.sei.operator.node;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.UpdatePull;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.api.validation.SpecValidation;
import io.sei.operator.chain.ChainClient;
import io.sei.operator.config.BucketsConfig;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.buckets.NeededBuckets;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodePass;
import io.sei.operator.node.model.NodeView;
import io.sei.operator.node.model.ProgressDeadline;
import io.sei.operator.node.status.NodeEvents;
import io.sei.operator.node.status.NodeStatus;
import io.sei.operator.node.takeover.Coexistence;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.Next;
import io.sei.operator.reconcile.Reconciling;
import io.sei.operator.render.Labels;
import io.sei.operator.sidecar.SidecarHealth;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A pass of a node: observe, identify the StatefulSet, decide on a plan, act, keep in sync,
 * diagnose. A node that another operator writes to is left alone.
 *
 * @param progressDeadline how long a node may wait before it counts as stalled, unless its spec
 *     says otherwise
 */
public record NodeController(
    KubeApi api,
    NodeObserver observer,
    Coexistence coexistence,
    NodeActions actions,
    BackgroundReads reads,
    NodeDiagnosis diagnosis,
    ProgressDeadline progressDeadline,
    BucketsConfig buckets,
    List<NodeFeature> features)
    implements Reconciling<SeiNode, SeiNodeStatus, NodePass> {

  /** By then a patch of the node is in the cache as a rule; its labels alone are no event. */
  private static final Duration CACHED = Duration.ofMillis(50);

  @Override
  public List<FieldError> errors(SeiNode node) {
    List<FieldError> ofSpec = SpecValidation.validate(node);
    return ofSpec.isEmpty() ? NeededBuckets.missing(node, buckets) : ofSpec;
  }

  @Override
  public NodePass observe(SeiNode node, SeiNodeStatus status) {
    return new NodePass(observer.observe(node, status));
  }

  @Override
  public Next begin(NodePass pass) {
    return Next.of(pass, List.of(coexistence::begin, this::label, this::awaitReads));
  }

  /** Labels a node that no fleet has made; the status is computed from what that leaves. */
  private Next label(NodePass pass) {
    SeiNode node = pass.node();
    Map<String, String> missing = Labels.missing(node);
    boolean isLabelled =
        !missing.isEmpty()
            && pass.refusals()
                .run(() -> api.mergePatch(node, MetadataPatch.marks(node, missing, Map.of())));
    return isLabelled ? Next.rest(CACHED) : Next.goOn();
  }

  private Next awaitReads(NodePass pass) {
    return reads.awaitsFirstBlocks(pass) || reads.awaitsHeightBeforeStop(pass)
        ? Next.rest(ChainClient.LIMIT)
        : Next.goOn();
  }

  @Override
  public Next act(NodePass pass) {
    return actions.advance(pass);
  }

  @Override
  public void report(NodePass pass) {
    reads.follow(pass);
    NodeStatus.record(pass, features);
    reads.logProbe().look(pass);
    Optional<Finding> finding = diagnosis.of(pass);
    if (finding.isEmpty() && pass.view().sidecar().equals(Optional.of(SidecarHealth.UNREACHABLE))) {
      pass.recheckAfter(Diagnosis.SETTLES);
    }
    NodeStatus.derive(pass, finding, progressDeadline, features);
  }

  @Override
  public SeiNodeStatus statusOf(SeiNode node) {
    return NodeView.statusOf(node);
  }

  @Override
  public TaskPlan planOf(SeiNodeStatus status) {
    return status.plan();
  }

  @Override
  public SeiNodeStatus invalid(SeiNode node, List<FieldError> errors, Instant now) {
    return NodeStatus.invalid(node, errors, now);
  }

  @Override
  public SeiNodeStatus terminating(SeiNodeStatus status) {
    return status.withPhase(NodePhase.TERMINATING);
  }

  @Override
  public SeiNodeStatus stalled(
      SeiNodeStatus status, Finding finding, Long generation, Instant now) {
    return status.with(
        it ->
            it.conditions(finding.stalls(status.conditions(), generation, now))
                .progress(ConditionProposal.yes(finding).progress(status.progress(), now)));
  }

  @Override
  public SeiNodeStatus concluded(
      SeiNodeStatus before, SeiNodeStatus reached, Long generation, Instant now) {
    return NodeStatus.concluded(before, reached, generation, now);
  }

  @Override
  public List<ObjectEvent> events(SeiNodeStatus before, SeiNodeStatus after) {
    return NodeEvents.between(before, after, features);
  }

  @Override
  public boolean isStepOnly(SeiNodeStatus before, SeiNodeStatus reached) {
    TaskPlan plan = reached.plan();
    if (plan == null || !plan.isActive() || before.plan() == null || plan.equals(before.plan())) {
      return false;
    }
    SeiNodeStatus were = withoutSteps(before);
    SeiNodeStatus are = withoutSteps(reached);
    return isInPlace(reached)
        ? withoutReadiness(were).equals(withoutReadiness(are))
        : were.equals(are);
  }

  /** A pod that is updated in place may be Ready again by the time that it was seen not to be. */
  private static boolean isInPlace(SeiNodeStatus status) {
    PodUpdate update = status.podUpdate();
    return update != null
        && update.how() == PodUpdate.How.IN_PLACE
        && update.revision() != null
        && update.isOfPlan(status.plan());
  }

  private static SeiNodeStatus withoutReadiness(SeiNodeStatus status) {
    List<Condition> others = Conditions.without(status.conditions(), NodeConditionType.READY);
    return status.with(it -> it.conditions(others).readySince(null).unreadySince(null).seid(null));
  }

  private static SeiNodeStatus withoutSteps(SeiNodeStatus status) {
    List<PlannedTask> tasks =
        status.plan().tasks().stream().map(NodeController::withoutStep).toList();
    return status.with(
        it ->
            it.plan(status.plan().withTasks(tasks))
                .podUpdate(withoutObservation(status.podUpdate()))
                .updatePull(withoutOutcome(status.updatePull()))
                .currentImage(null)
                .currentSidecarImage(null)
                .podSpecHash(null)
                .podBaseHash(null));
  }

  private static PodUpdate withoutObservation(PodUpdate update) {
    return update == null ? null : update.withoutObservation();
  }

  /** What has been pulled is there, whether or not that is written. */
  private static UpdatePull withoutOutcome(UpdatePull pull) {
    return pull == null ? null : pull.withDone(List.of());
  }

  private static PlannedTask withoutStep(PlannedTask task) {
    return task.with(
        it -> it.status(null).startedAt(null).submittedAt(null).reason(null).message(null));
  }
}
