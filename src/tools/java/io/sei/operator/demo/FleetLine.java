package io.sei.operator.demo;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;

/** One line about a fleet's status. */
final class FleetLine {

  private FleetLine() {}

  static String of(SeiNodeDeployment fleet) {
    SeiNodeDeploymentStatus status =
        fleet.getStatus() == null ? SeiNodeDeploymentStatus.empty() : fleet.getStatus();
    return "%-16s ready %s, updated %s, %s%s"
        .formatted(
            fleet.getMetadata().getName(),
            status.ready() == null ? "-" : status.ready(),
            status.updated() == null ? "-" : status.updated(),
            status.reason() == null ? "-" : status.reason(),
            remark(status))
        .stripTrailing();
  }

  private static String remark(SeiNodeDeploymentStatus status) {
    return status
        .condition(FleetConditionType.STALLED)
        .filter(Condition::isTrue)
        .map(
            stalled ->
                ", "
                    + NodeLine.STALLED
                    + stalled.reason()
                    + ": "
                    + NodeLine.shortened(stalled.message()))
        .orElse(status.failedTemplateHash() == null ? "" : ", template rolled back");
  }
}
