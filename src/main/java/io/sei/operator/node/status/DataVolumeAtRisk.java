package io.sei.operator.node.status;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.VolumeRisk;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.SnapshotStop;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * PURE: the condition DataVolumeAtRisk, and what waits because of it. A node whose data was never
 * at risk does not have the condition.
 */
final class DataVolumeAtRisk {

  private static final NodeConditionType TYPE = NodeConditionType.DATA_VOLUME_AT_RISK;

  private DataVolumeAtRisk() {}

  /** Sets the condition, unless what is left of a claim that is gone was reported. */
  static void derive(NodeReconcile reconcile) {
    Optional<Condition> said = Conditions.find(reconcile.status().conditions(), TYPE);
    Optional<VolumeRisk> risk = reconcile.snapshot().risk();
    boolean reported = reconcile.offers().containsKey(TYPE);
    if (reported || (risk.isEmpty() && said.isEmpty())) {
      return;
    }
    Verdict verdict =
        risk.map(it -> verdict(reconcile.snapshot(), it))
            .orElseGet(
                () -> Verdict.no(NodeReason.NOT_AT_RISK, "the claim and its volume are in use"));
    reconcile.put(TYPE, verdict);
  }

  private static Verdict verdict(NodeSnapshot snapshot, VolumeRisk risk) {
    if (risk.accepted()) {
      return Verdict.no(
          NodeReason.DATA_LOSS_ACCEPTED,
          risk.what() + "; spec.dataVolume.acceptDataLoss lets the data go with the pod");
    }
    return Verdict.yes(
        risk.reason(),
        risk.message()
            + waiting(snapshot).map(it -> "; waiting because of this: " + it).orElse(""));
  }

  /** What would end the pod, and is not done; empty if nothing is asked for. */
  static Optional<String> waiting(NodeSnapshot snapshot) {
    if (!snapshot.isKept() || snapshot.pod().isEmpty()) {
      return Optional.empty();
    }
    SeiNodeSpec declared = snapshot.declared();
    SeiNodeSpec effective = snapshot.node().getSpec();
    String all =
        Stream.of(
                says(Boolean.TRUE.equals(declared.paused()), "spec.paused"),
                SnapshotStop.of(snapshot.node(), snapshot.now())
                    .map(it -> "the stop for VolumeSnapshot " + it.snapshot()),
                says(
                    declared.holding().isPresent() != effective.holding().isPresent(),
                    "spec.maintenance.hold"),
                says(
                    !Objects.equals(
                        declared.dataResetGeneration(), effective.dataResetGeneration()),
                    "spec.dataResetGeneration"),
                snapshot.podDifference())
            .flatMap(Optional::stream)
            .collect(Collectors.joining(", "));
    return Optional.of(all).filter(it -> !it.isEmpty());
  }

  /** That something waits because of that. */
  static String putOff(NodeSnapshot snapshot, String what) {
    return "%s waits: %s, and the chain data would go with the pod; see the condition DataVolumeAtRisk"
        .formatted(what, snapshot.risk().orElseThrow().what());
  }

  private static Optional<String> says(boolean asked, String what) {
    return asked ? Optional.of(what) : Optional.empty();
  }
}
