package io.sei.operator.node;

import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.api.validation.NodeValidation;
import io.sei.operator.chain.ChainClient;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.node.status.NodeEvents;
import io.sei.operator.node.status.NodeStatus;
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
import java.util.function.Function;

/**
 * The steps of a node's pass, in the order of {@link #observe}, {@link #begin}, {@link #act} and
 * {@link #report}.
 *
 * @param missingBuckets errors of a spec that needs a bucket which the operator was not given
 * @param coexistence ends the pass of a node that another operator writes to
 * @param progressDeadline how long a node may wait before it counts as stalled, unless its spec
 *     sets that
 */
public record NodeController(
    KubeApi api,
    Function<SeiNode, List<FieldError>> missingBuckets,
    NodeObserver observer,
    Function<NodePass, Next> coexistence,
    NodeActions actions,
    BackgroundReads reads,
    NodeDiagnosis diagnosis,
    ProgressDeadline progressDeadline,
    ConditionParts conditions)
    implements Reconciling<SeiNode, SeiNodeStatus, NodePass> {

  /** Time in which a patch of labels reaches the cache; it triggers no reconcile by itself. */
  private static final Duration CACHED = Duration.ofMillis(50);

  @Override
  public List<FieldError> errors(SeiNode node) {
    List<FieldError> ofSpec = NodeValidation.validate(node);
    return ofSpec.isEmpty() ? missingBuckets.apply(node) : ofSpec;
  }

  @Override
  public NodePass observe(SeiNode node, SeiNodeStatus status) {
    return new NodePass(observer.observe(node, status));
  }

  @Override
  public Next begin(NodePass pass) {
    return Next.of(pass, List.of(coexistence, this::label, this::awaitReads));
  }

  @Override
  public Next act(NodePass pass) {
    return Next.of(
        pass,
        List.of(
            actions::protect,
            actions::identify,
            actions::recordBaseline,
            actions::pause,
            actions::observe,
            actions::followPlan));
  }

  @Override
  public void report(NodePass pass) {
    reads.follow(pass);
    NodeStatus.record(pass, conditions);
    reads.logProbe().look(pass);
    Optional<Finding> finding = diagnose(pass);
    NodeStatus.derive(pass, finding, progressDeadline, conditions);
  }

  /** Labels a standalone node. The pass ends, and the next one sees the labels. */
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
    Duration left = reads.awaitsFirstAnswer().apply(pass.view());
    if (left.isPositive()) {
      return Next.rest(left);
    }
    return reads.awaitsHeightBeforeStop(pass) ? Next.rest(ChainClient.LIMIT) : Next.goOn();
  }

  private Optional<Finding> diagnose(NodePass pass) {
    Optional<Finding> finding = diagnosis.of(pass);
    if (finding.isEmpty() && pass.view().sidecar().equals(Optional.of(SidecarHealth.UNREACHABLE))) {
      pass.recheckAfter(Diagnosis.SETTLES);
    }
    return finding;
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
        next ->
            next.conditions(finding.stalls(status.conditions(), generation, now))
                .progress(ConditionProposal.yes(finding).progress(status.progress(), now)));
  }

  @Override
  public SeiNodeStatus concluded(
      SeiNodeStatus before, SeiNodeStatus reached, Long generation, Instant now) {
    return NodeStatus.concluded(before, reached, generation, now);
  }

  @Override
  public List<ObjectEvent> events(SeiNodeStatus before, SeiNodeStatus after) {
    return NodeEvents.between(before, after, conditions);
  }

  @Override
  public boolean isProgressOnly(SeiNodeStatus before, SeiNodeStatus reached) {
    return NodeStatus.isProgressOnly(before, reached);
  }
}
