package io.sei.operator.fleet.status;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.fleet.model.FleetSnapshot.Child;
import java.util.Optional;
import java.util.stream.Collectors;

/** PURE: whose data would be lost, in the words of the nodes themselves. */
final class DataVolumesAtRisk {

  private DataVolumesAtRisk() {}

  /** Which nodes of a deployment, and why; empty if there is none. */
  static Optional<String> of(FleetSnapshot snapshot) {
    String all =
        snapshot.children().stream()
            .flatMap(child -> words(snapshot, child).stream())
            .collect(Collectors.joining(" | "));
    return Optional.of(all).filter(it -> !it.isEmpty());
  }

  private static Optional<String> words(FleetSnapshot snapshot, Child child) {
    SeiNode node = child.node();
    String scaling =
        child.ordinal() < snapshot.replicas() || node.isMarkedForDeletion()
            ? ""
            : "; scaling down waits because of this";
    return Optional.ofNullable(node.getStatus())
        .flatMap(it -> Conditions.find(it.conditions(), NodeConditionType.DATA_VOLUME_AT_RISK))
        .filter(Condition::isTrue)
        .map(it -> node.getMetadata().getName() + ": " + it.message() + scaling);
  }
}
