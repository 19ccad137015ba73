package io.sei.operator.node.volume;

import static io.sei.operator.kube.ApiErrors.isForbidden;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.NodeVolume;
import io.sei.operator.base.Recheck;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.VolumeFacts;
import io.sei.operator.node.feature.VolumeRisk;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.Names;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a node whose claim is gone from a new and empty one while the volume with its data still
 * exists: the user may bind it again.
 */
public record ReleasedVolume(VolumeWatch volumes) {

  private static final Logger log = LoggerFactory.getLogger(ReleasedVolume.class);

  /**
   * Returns whether the data of the node's last claim is still on its volume, which is reported
   * then. Without the right to read volumes nobody can tell, and the node starts over.
   */
  public boolean hasData(NodePass pass) {
    NodeVolume last = pass.stored().dataVolume();
    boolean given =
        last == null
            || last.name() == null
            || VolumeRisk.isAccepted(pass.node().getSpec(), last.claimUid())
            || !volumes.mayRead(pass.view().now());
    if (given) {
      return false;
    }
    try {
      Optional<VolumeFacts> volume =
          volumes.read(last.name()).filter(it -> !it.isOfAnotherClaim(last.claimUid()));
      volume.ifPresent(it -> report(pass, it));
      return volume.isPresent();
    } catch (KubernetesClientException e) {
      if (isForbidden(e)) {
        volumes.refused(pass.view().now());
        log.info("Cannot read PersistentVolume {}: {}", last.name(), e.getMessage());
        return false;
      }
      throw e;
    }
  }

  private static void report(NodePass pass, VolumeFacts volume) {
    String claim = Names.claim(pass.node());
    // As long as the API server and the storage driver are at it, there is nothing to say.
    if (volume.retained() || "Failed".equals(volume.phase())) {
      pass.offer(
          NodeConditionType.DATA_VOLUME_AT_RISK,
          ConditionProposal.yes(
              NodeReason.DATA_VOLUME_RELEASED,
              "claim %s is gone, and volume %s still has its data, so no empty claim is created; create claim %s with volumeName: %s, or set spec.dataVolume.acceptDataLoss to status.dataVolume.claimUid to start over without the data"
                  .formatted(claim, volume.name(), claim, volume.name())));
    }
    pass.recheckAfter(Recheck.UNWATCHED);
  }
}
