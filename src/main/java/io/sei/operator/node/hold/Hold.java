package io.sei.operator.node.hold;

import static io.sei.operator.kube.ObjectEvent.normal;
import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Maintenance;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.feature.ConditionEvents;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.EffectiveNode;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.PutOff;
import io.sei.operator.observability.GaugeRow;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.Names;
import io.sei.operator.render.PodParts;
import java.util.Optional;

/**
 * PURE: keeps seid from running, while a person works on the node's volume, or something else signs
 * with a validator's key.
 */
public record Hold() implements NodeFeature {

  private static final NodeConditionType TYPE = NodeConditionType.HELD;

  /** A pod that is kept goes on as it is: neither does a hold begin, nor does it end. */
  @Override
  public SeiNodeSpec overlay(SeiNodeSpec spec, SeiNodeStatus status, Optional<Pod> kept) {
    SeiNodeSpec wanted =
        status.signingElsewhere() != null && spec.validator() != null
            ? spec.withMaintenance(new Maintenance(Maintenance.Hold.IMMEDIATE))
            : spec;
    return kept.map(pod -> wanted.withMaintenance(keeping(pod, wanted))).orElse(wanted);
  }

  private static Maintenance keeping(Pod pod, SeiNodeSpec spec) {
    boolean held = PodFacts.isIdle(pod);
    return held == spec.holding().isPresent()
        ? spec.maintenance()
        : held ? new Maintenance(Maintenance.Hold.IMMEDIATE) : null;
  }

  @Override
  public void pod(SeiNode node, PodParts pod) {
    node.getSpec()
        .holding()
        .ifPresent(any -> IdlePod.make(pod, NodeView.holdReason(node.getStatus())));
  }

  @Override
  public void conditions(ConditionParts conditions) {
    conditions
        .record(this::record)
        .report(this::report)
        .event(ConditionEvents.on(TYPE, (before, after, now) -> event(now)))
        .gauge(
            GaugeRow.whileTrue(
                "sei_node_held",
                "1 if seid is kept from running so that a person can work on the volume",
                TYPE));
  }

  /** A healthy seid does not exit. */
  void record(NodePass pass) {
    if (pass.waitsFor(NodeReason.AWAITING_EXIT)) {
      pass.suspendDeadline("seid is to be held once it has exited, which has no deadline");
    }
  }

  private static boolean awaitsExit(NodePass reconcile) {
    return Optional.ofNullable(reconcile.draft().plan())
        .flatMap(TaskPlan::currentTask)
        .filter(task -> task.waitsFor(NodeReason.AWAITING_EXIT))
        .isPresent();
  }

  void report(NodePass reconcile) {
    boolean asked =
        reconcile.view().declared().holding().isPresent()
            || reconcile.node().getSpec().holding().isPresent();
    if (asked || reconcile.draft().condition(TYPE).isPresent()) {
      reconcile.put(TYPE, verdict(reconcile));
    }
  }

  /** Whoever waits for this works on the volume next: nothing of seid may run any more. */
  private static ConditionProposal verdict(NodePass reconcile) {
    NodeView view = reconcile.view();
    if (reconcile.node().getSpec().holding().isEmpty()) {
      return view.declared().holding().isPresent()
          ? no(NodeReason.DATA_VOLUME_AT_RISK, PutOff.because(view, EffectiveNode.HOLD))
          : no(NodeReason.NOT_HELD, "spec.maintenance.hold is not set");
    }
    if (view.isIdle()) {
      return yes(
          NodeReason.HELD,
          "seid does not run; pod %s has the volume: kubectl exec"
              .formatted(Names.pod(reconcile.node())));
    }
    if (awaitsExit(reconcile)) {
      return no(
          NodeReason.AWAITING_EXIT, "seid runs until it ends by itself, and is not started again");
    }
    return view.isPaused() && view.stop().isEmpty()
        ? no(NodeReason.PAUSED, "spec.paused is true: no pod has the volume")
        : no(NodeReason.HOLDING, "seid may still run; the pod is not replaced yet");
  }

  private static Optional<ObjectEvent> event(Condition held) {
    return Optional.of(held)
        .filter(it -> it.isFor(NodeReason.HELD, NodeReason.NOT_HELD))
        .map(it -> normal(it.isTrue() ? "Held" : "Released", it.message()));
  }
}
