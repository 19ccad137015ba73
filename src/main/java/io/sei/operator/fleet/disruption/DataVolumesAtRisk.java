package io.sei.operator.fleet.disruption;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.fleet.feature.FleetReport;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.FleetView.Child;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.EventRule;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** PURE: whose data would be lost, in the words of the nodes themselves. */
public final class DataVolumesAtRisk implements FleetFeature {

  @Override
  public void report(FleetPass pass, FleetReport report) {
    FleetConditionType type = FleetConditionType.DATA_VOLUME_AT_RISK;
    of(pass.view())
        .map(it -> ConditionProposal.yes(FleetReason.DATA_VOLUME_AT_RISK, it))
        .or(
            () ->
                pass.stored()
                    .condition(type)
                    .map(
                        it ->
                            ConditionProposal.no(
                                FleetReason.NOT_AT_RISK, "no node's data is at risk")))
        .ifPresent(it -> report.says(type, it));
  }

  @Override
  public List<EventRule<SeiNodeDeploymentStatus>> events() {
    return List.of(
        EventRule.one(
            (before, after) ->
                Conditions.changed(
                        before.conditions(),
                        after.conditions(),
                        FleetConditionType.DATA_VOLUME_AT_RISK)
                    .map(
                        risk ->
                            risk.isTrue()
                                ? ObjectEvent.warning("DataVolumeAtRisk", risk.message())
                                : ObjectEvent.normal("DataVolumeNotAtRisk", risk.message()))));
  }

  /** Which nodes of a deployment, and why; empty if there is none. */
  public static Optional<String> of(FleetView view) {
    String all =
        view.children().stream()
            .flatMap(child -> words(view, child).stream())
            .collect(Collectors.joining(" | "));
    return Optional.of(all).filter(it -> !it.isEmpty());
  }

  private static Optional<String> words(FleetView view, Child child) {
    SeiNode node = child.node();
    String scaling =
        child.ordinal() < view.replicas() || node.isMarkedForDeletion()
            ? ""
            : "; scaling down waits because of this";
    return FleetNode.says(node, NodeConditionType.DATA_VOLUME_AT_RISK)
        .filter(Condition::isTrue)
        .map(it -> node.getMetadata().getName() + ": " + it.message() + scaling);
  }
}
