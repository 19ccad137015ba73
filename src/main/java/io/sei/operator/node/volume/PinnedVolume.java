package io.sei.operator.node.volume;

import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.feature.ConditionEvents;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.VolumeFacts;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.Names;
import java.util.Optional;

/**
 * Reports for a volume on a local disk what a drain means, before there is one. Without the right
 * to read volumes nothing is reported.
 */
record PinnedVolume(VolumeWatch volumes) {

  private static final NodeConditionType TYPE = NodeConditionType.DATA_VOLUME_PINNED;

  void conditions(ConditionParts conditions) {
    conditions.report(this::report).event(ConditionEvents.whenTrue(TYPE, ObjectEvent::warning));
  }

  /** Reports the Kubernetes node that the node's volume is tied to; and that it no longer is. */
  void report(NodePass pass) {
    boolean isKnown = pass.draft().condition(TYPE).isPresent();
    boolean settled = pass.view().isRunning() && pass.draft().plan() == null;
    Optional<VolumeFacts> volume = volumes.volume(pass.node()).filter(any -> settled || isKnown);
    volume.ifPresent(facts -> report(pass, Names.claim(pass.node()), facts.onlyNode(), isKnown));
  }

  private static void report(
      NodePass pass, String claim, Optional<String> pinnedTo, boolean isKnown) {
    if (pinnedTo.isPresent()) {
      pass.put(
          TYPE,
          ConditionProposal.yes(
              NodeReason.LOCAL_DISK,
              "only Kubernetes node %s can use the volume of claim %s: a drain stops this node until that one is uncordoned, and if its machine is lost, so is the data"
                  .formatted(pinnedTo.get(), claim)));
    } else if (isKnown) {
      pass.put(
          TYPE,
          ConditionProposal.no(
              NodeReason.NOT_PINNED,
              "the volume of claim %s is not tied to one Kubernetes node".formatted(claim)));
    }
  }
}
