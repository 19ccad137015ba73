package io.sei.operator.node.hold;

import io.sei.operator.render.Names;
import io.sei.operator.render.PodParts;

/** A pod in which seid is not started, for a person who works on its volume. */
final class IdlePod {

  /** Annotation that keeps autoscalers from removing the machine under the user's work. */
  private static final String SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict";

  private static final String SCRIPT =
      """
      echo "WHY, seid is not started"
      exec sleep infinity
      """;

  private IdlePod() {}

  /**
   * Makes a pod idle. Its readiness gate stays closed, so that no Service leads to it.
   *
   * @param why in words that need no quotes
   */
  static void make(PodParts pod, String why) {
    pod.annotate(SAFE_TO_EVICT, "false");
    pod.gate(Names.RELEASED_GATE);
    pod.insteadOfSeid(SCRIPT.replace("WHY", why));
  }
}
