package io.sei.operator.node.sync;

import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeGenesis.ConfigMapKey;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.feature.ConditionEvents;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.FindingRank;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.Slot;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.plan.TaskType;
import io.sei.operator.plan.Traits;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.Names;
import io.sei.operator.render.PodParts;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Begins a chain with the genesis of a ConfigMap. It is looked at before the first pod is made; on
 * a volume that seid has begun with another one that one stays, which is reported.
 */
public record GivenGenesis(KubeApi api) implements NodeFeature {

  private static final NodeConditionType TYPE = NodeConditionType.GENESIS_READY;

  private static final String TASK = "validate-genesis";

  @Override
  public void pod(SeiNode node, PodParts pod) {
    node.getSpec()
        .givenGenesis()
        .ifPresent(
            given -> {
              pod.volume(GenesisContainer.volume(given));
              pod.atHome(GenesisContainer.render(node, given));
            });
  }

  @Override
  public void operations(OperationParts operations) {
    operations
        .task(TaskType.of(TASK, Traits.OF_OPERATOR, this::validate))
        .steps(
            Slot.BEFORE_POD,
            (view, shape) ->
                shape.isFirst()
                    ? view.node().getSpec().givenGenesis().stream()
                        .map(given -> new Step(TASK, null))
                    : Stream.empty());
  }

  /** The user's ConfigMap is not watched. */
  private TaskOutcome validate(NodePass pass) {
    ConfigMapKey given = pass.node().getSpec().givenGenesis().orElseThrow();
    return GenesisFile.defect(
            given,
            api.get(ConfigMap.class, pass.namespace(), given.name()),
            pass.node().getSpec().chainId())
        .map(defect -> TaskOutcome.waitFor(defect.reason(), defect.message(), Recheck.UNWATCHED))
        .orElseGet(TaskOutcome::done);
  }

  @Override
  public void conditions(ConditionParts conditions) {
    conditions
        .record(this::record)
        .report(this::report)
        .event(ConditionEvents.on(TYPE, (before, after, now) -> mismatch(now)));
  }

  void record(NodePass pass) {
    if (!pass.view().isPaused()) {
      awaited(pass).ifPresent(task -> pass.offer(FindingRank.GENESIS_MISSING, finding(task)));
    }
  }

  private static Finding finding(PlannedTask task) {
    boolean another = task.waitsFor(StallReason.GENESIS_MISMATCH);
    return new Finding(
        another ? StallReason.GENESIS_MISMATCH : StallReason.GENESIS_MISSING,
        task.message(),
        "put the genesis of the chain into the ConfigMap; the node goes on by itself within"
            + " seconds",
        another);
  }

  /** The task that waits for the ConfigMap. */
  private static Optional<PlannedTask> awaited(NodePass pass) {
    return Optional.ofNullable(pass.draft().plan())
        .filter(TaskPlan::isActive)
        .flatMap(TaskPlan::currentTask)
        .filter(task -> TASK.equals(task.type()) && task.message() != null);
  }

  void report(NodePass pass) {
    pass.node()
        .getSpec()
        .givenGenesis()
        .flatMap(given -> verdict(pass, given))
        .ifPresent(proposal -> pass.put(TYPE, proposal));
  }

  private static Optional<ConditionProposal> verdict(NodePass pass, ConfigMapKey given) {
    return Stream.of(
            awaited(pass).map(input -> no(finding(input).reason(), input.message())),
            pass.view()
                .ownedPod()
                .flatMap(GenesisContainer::isInstalled)
                .map(installed -> ofVolume(pass, given, installed)),
            pass.draftedCondition(TYPE))
        .flatMap(Optional::stream)
        .findFirst();
  }

  private static ConditionProposal ofVolume(NodePass pass, ConfigMapKey given, boolean installed) {
    return installed
        ? yes(NodeReason.GENESIS_INSTALLED, "the volume has the genesis of " + given)
        : no(
            StallReason.GENESIS_MISMATCH,
            "the genesis on claim %s, which seid began with, is not that of %s, and stays; put it back into the ConfigMap, or reset the data to begin again with the other one"
                .formatted(Names.claim(pass.node()), given));
  }

  private static Optional<ObjectEvent> mismatch(Condition now) {
    return Optional.of(now)
        .filter(condition -> condition.isFor(StallReason.GENESIS_MISMATCH))
        .map(condition -> ObjectEvent.warning(condition.reason(), condition.message()));
  }
}
