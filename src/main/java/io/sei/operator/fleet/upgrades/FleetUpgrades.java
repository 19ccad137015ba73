package io.sei.operator.fleet.upgrades;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.fleet.model.FleetFeature;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetReconcile;
import io.sei.operator.fleet.model.FleetReport;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.fleet.model.FleetSnapshot.Child;
import io.sei.operator.reconcile.Verdict;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/** Admits nodes to upgrades that run early, and tells whether all are ready for those ahead. */
public final class FleetUpgrades implements FleetFeature {

  @Override
  public BiFunction<NodeTemplate, Integer, NodeTemplate> given(FleetSnapshot snapshot) {
    return EarlyUpgrades.of(snapshot)::given;
  }

  @Override
  public void report(FleetReconcile pass, FleetReport report) {
    EarlyUpgrades.of(pass.snapshot()).recheck().ifPresent(pass::recheckAfter);
    ready(pass.snapshot()).ifPresent(it -> report.says(FleetConditionType.UPGRADES_READY, it));
  }

  /** What the first node says that is not ready; else the last one. Empty if none says anything. */
  private static Optional<Verdict> ready(FleetSnapshot snapshot) {
    Map<String, Condition> ofNodes = new LinkedHashMap<>();
    snapshot.wanted().map(Child::node).forEach(node -> put(node, ofNodes));
    return ofNodes.entrySet().stream()
        .filter(it -> !it.getValue().isTrue())
        .findFirst()
        .map(
            it ->
                Verdict.no(
                    it.getValue().storedReason(), it.getKey() + ": " + it.getValue().message()))
        .or(
            () ->
                ofNodes.values().stream()
                    .max(Comparator.comparing(it -> it.isFor(NodeReason.UPGRADES_PENDING)))
                    .map(it -> Verdict.yes(it.storedReason(), it.message())));
  }

  private static void put(SeiNode node, Map<String, Condition> ofNodes) {
    FleetNode.says(node, NodeConditionType.UPGRADES_READY)
        .ifPresent(it -> ofNodes.put(node.getMetadata().getName(), it));
  }
}
