package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.render.Labels;
import io.sei.operator.render.NodeMode;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Pods of validators that went after their kubelet had reported their end. A kubelet brings a pod
 * that is deleted to the phase Succeeded or Failed before the pod goes; a forced deletion does not
 * wait for that.
 */
final class PodEnds {

  /** A pod is asked about until the next one of its key signs. */
  private static final int KEPT = 1_000;

  private final Set<String> reported = new LinkedHashSet<>();

  /** Notes a pod that is gone, in its last known state, and returns it. */
  synchronized Pod note(Pod gone) {
    boolean signs =
        Labels.of(gone, Labels.ROLE).filter(NodeMode.VALIDATOR.role()::equals).isPresent();
    if (signs && PodFacts.hasEnded(gone)) {
      reported.add(gone.getMetadata().getUid());
      if (reported.size() > KEPT) {
        reported.remove(reported.iterator().next());
      }
    }
    return gone;
  }

  synchronized boolean isReported(String podUid) {
    return reported.contains(podUid);
  }
}
