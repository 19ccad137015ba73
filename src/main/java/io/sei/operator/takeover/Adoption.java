package io.sei.operator.takeover;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.kube.Ownership;
import io.sei.operator.render.Annotations;
import java.util.Map;

/** PURE: tells which objects another operator made, and what a refusal to adopt them says. */
public final class Adoption {

  private Adoption() {}

  /**
   * Returns whether a StatefulSet that a node could have needs a takeover first. Both operators
   * apply under one field manager, so the one that applies last removes what only the other sets:
   * without the annotations of this operator another one applied it, or a user removed them.
   */
  public static boolean isNeeded(HasMetadata node, StatefulSet live) {
    return !live.isMarkedForDeletion()
        && !(Ownership.of(live, node) instanceof Ownership.Foreign)
        && !isAppliedByUs(live);
  }

  /** Returns whether this operator was the last to apply a StatefulSet. */
  public static boolean isAppliedByUs(StatefulSet live) {
    return has(live.getMetadata().getAnnotations(), Annotations.RENDERED_HASH)
        || has(live.getSpec().getTemplate().getMetadata().getAnnotations(), Annotations.SPEC_HASH);
  }

  /** Says what is not adopted, and what a user has to do. */
  public static String refusal(String object, String namespace) {
    return ("%s lacks what this operator writes, so another one may manage it; to adopt it, set"
            + " takeover.enabled=true and list %s in takeover.namespaces of the chart:"
            + " docs/from-the-go-operator.md")
        .formatted(object, namespace);
  }

  private static boolean has(Map<String, String> annotations, String key) {
    return annotations != null && annotations.containsKey(key);
  }
}
