package io.sei.operator.node.status;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.KeyMaterial;
import java.util.List;
import java.util.Optional;

/** Keeps what tasks said of key Secrets true while no task looks at them. */
final class KeyConditions {

  static final List<NodeConditionType> TYPES =
      List.of(
          NodeConditionType.SIGNING_KEY_READY,
          NodeConditionType.NODE_KEY_READY,
          NodeConditionType.OPERATOR_KEYRING_READY);

  private KeyConditions() {}

  /** Brings the conditions that are there up to the spec's generation; adds none. */
  static void derive(NodeReconcile reconcile) {
    for (NodeConditionType type : TYPES) {
      find(reconcile, type).ifPresent(present -> derive(reconcile, type, present));
    }
  }

  /** The first of them that says why the node has no pod. */
  static Optional<Condition> obstacle(NodeReconcile reconcile) {
    return TYPES.stream()
        .flatMap(type -> find(reconcile, type).stream())
        .filter(condition -> condition.status() == ConditionStatus.FALSE)
        .findFirst();
  }

  private static void derive(NodeReconcile reconcile, NodeConditionType type, Condition present) {
    if (!isReferenced(reconcile, type)) {
      reconcile.put(
          type, Verdict.unknown(NodeReason.NOT_REFERENCED, "the spec refers to no such Secret"));
    } else if (reconcile.snapshot().specHash().equals(reconcile.status().podSpecHash())) {
      // Which Secrets are meant is part of the hash, so what was said still holds.
      reconcile.put(type, Verdict.kept(present));
    }
  }

  private static boolean isReferenced(NodeReconcile reconcile, NodeConditionType type) {
    KeyMaterial keys = KeyMaterial.of(reconcile.node().getSpec());
    return switch (type) {
      case SIGNING_KEY_READY -> keys.signingKey().isPresent();
      case NODE_KEY_READY -> keys.nodeKey().isPresent();
      default -> keys.operatorKeyring().isPresent();
    };
  }

  private static Optional<Condition> find(NodeReconcile reconcile, NodeConditionType type) {
    return Conditions.find(reconcile.status().conditions(), type);
  }
}
