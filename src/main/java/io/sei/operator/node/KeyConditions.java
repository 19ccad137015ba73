package io.sei.operator.node;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
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
  static void derive(NodeWork work) {
    for (NodeConditionType type : TYPES) {
      find(work, type).ifPresent(present -> derive(work, type, present));
    }
  }

  /** The first of them that says why the node has no pod. */
  static Optional<Condition> obstacle(NodeWork work) {
    return TYPES.stream()
        .flatMap(type -> find(work, type).stream())
        .filter(condition -> condition.status() == ConditionStatus.FALSE)
        .findFirst();
  }

  private static void derive(NodeWork work, NodeConditionType type, Condition present) {
    if (!isReferenced(work, type)) {
      work.condition(
          type,
          ConditionStatus.UNKNOWN,
          NodeReason.NOT_REFERENCED,
          "the spec names no such Secret");
    } else if (work.snapshot().specHash().equals(work.status().podSpecHash())) {
      // Which Secrets are meant is part of the hash, so what was said still holds.
      work.condition(type, present.status(), present.reason(), present.message());
    }
  }

  private static boolean isReferenced(NodeWork work, NodeConditionType type) {
    KeyMaterial keys = KeyMaterial.of(work.node().getSpec());
    return switch (type) {
      case SIGNING_KEY_READY -> keys.signingKey().isPresent();
      case NODE_KEY_READY -> keys.nodeKey().isPresent();
      default -> keys.operatorKeyring().isPresent();
    };
  }

  private static Optional<Condition> find(NodeWork work, NodeConditionType type) {
    return Conditions.find(work.status().conditions(), type.toString());
  }
}
