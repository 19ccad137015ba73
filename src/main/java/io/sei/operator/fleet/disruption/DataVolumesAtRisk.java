package io.sei.operator.fleet.disruption;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.fleet.feature.FleetConditionParts;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.FleetView.Child;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.EventRule;
import java.util.Optional;
import java.util.stream.Collectors;

/** PURE: whose data would be lost, in the words of the nodes themselves. */
public final class DataVolumesAtRisk implements FleetFeature {

  private static final FleetConditionType TYPE = FleetConditionType.DATA_VOLUME_AT_RISK;

  @Override
  public void conditions(FleetConditionParts conditions) {
    conditions.report(DataVolumesAtRisk::report).event(EventRule.one(DataVolumesAtRisk::changed));
  }

  private static void report(FleetPass pass) {
    Optional<String> risk = of(pass.view());
    if (risk.isPresent()) {
      pass.offer(TYPE, ConditionProposal.yes(FleetReason.DATA_VOLUME_AT_RISK, risk.get()));
    } else if (pass.stored().condition(TYPE).isPresent()) {
      pass.offer(TYPE, ConditionProposal.no(FleetReason.NOT_AT_RISK, "no node's data is at risk"));
    }
  }

  private static Optional<ObjectEvent> changed(
      SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after) {
    return Conditions.changed(before.conditions(), after.conditions(), TYPE)
        .map(
            risk ->
                risk.isTrue()
                    ? ObjectEvent.warning("DataVolumeAtRisk", risk.message())
                    : ObjectEvent.normal("DataVolumeNotAtRisk", risk.message()));
  }

  /** Which nodes of a deployment, and why; empty if there is none. */
  public static Optional<String> of(FleetView view) {
    String all =
        view.children().stream()
            .flatMap(child -> words(view, child).stream())
            .collect(Collectors.joining(" | "));
    return Optional.of(all).filter(text -> !text.isEmpty());
  }

  private static Optional<String> words(FleetView view, Child child) {
    SeiNode node = child.node();
    String scaling =
        child.ordinal() < view.replicas() || node.isMarkedForDeletion()
            ? ""
            : "; scaling down waits because of this";
    return FleetNode.says(node, NodeConditionType.DATA_VOLUME_AT_RISK)
        .filter(Condition::isTrue)
        .map(condition -> node.getMetadata().getName() + ": " + condition.message() + scaling);
  }
}
