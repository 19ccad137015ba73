package io.sei.operator.node.volume;

import static io.sei.operator.kube.ApiErrors.isForbidden;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.NodeVolume;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.base.Recheck;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.StatusReset;
import io.sei.operator.node.feature.VolumeFacts;
import io.sei.operator.node.feature.VolumeRisk;
import io.sei.operator.node.objects.DataClaim;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Names;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Resets the status of a node whose claim was deleted, so that it begins with a new claim. A node
 * with a signing key waits for a person, since the record of its signatures is gone with the claim;
 * so does a node whose volume still has the data.
 */
record LostClaim(DataClaim dataClaim, VolumeWatch volumes) {

  private static final Logger log = LoggerFactory.getLogger(LostClaim.class);

  /**
   * Resets what is recorded of a volume that is gone. A volume that is still there keeps its data.
   */
  Next observe(NodePass pass) {
    NodeView view = pass.view();
    if (!view.hasLostItsClaim() || dataClaim.read(pass).isPresent()) {
      return Next.goOn();
    }
    if (hasData(pass)) {
      return Next.rest();
    }
    SeiNodeSpec spec = view.node().getSpec();
    // acceptSigningStateLoss alone may be meant for a reset of the claim that was there.
    boolean lost =
        spec.signingKeySecret().isEmpty()
            || VolumeRisk.isAccepted(spec, view.stored().dataClaimUid());
    return lost ? StatusReset.begin(pass) : Next.goOn();
  }

  /**
   * Reports that the storage still has the data of the node's last claim: on its volume, or after a
   * PersistentVolume with the policy Retain was deleted, which deletes no disk. Without the right
   * to read volumes that is not known, and the node starts over.
   */
  private boolean hasData(NodePass pass) {
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
      Optional<VolumeFacts> volume = volumes.read(last.name());
      if (volume.isEmpty() && last.survivesDeletion()) {
        reportGone(pass, last);
        return true;
      }
      if (volume.isEmpty() || volume.get().isOfAnotherClaim(last.claimUid())) {
        return false;
      }
      NodeVolume read = last.withRetained(volume.get().retained());
      pass.update(status -> status.withDataVolume(read));
      report(pass, volume.get());
      return true;
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
    // As long as the API server and the storage driver are at it, there is nothing to say.
    if (volume.retained() || "Failed".equals(volume.phase())) {
      String found =
          "claim %s is gone, and volume %s still has its data, so no empty claim is created";
      report(pass, volume.name(), found.formatted(Names.claim(pass.node()), volume.name()));
    }
    pass.recheckAfter(Recheck.UNWATCHED);
  }

  private static void reportGone(NodePass pass, NodeVolume volume) {
    String disk = volume.handle() == null ? "" : " (" + volume.handle() + ")";
    report(
        pass,
        volume.name(),
        "claim %s and PersistentVolume %s%s are gone; its reclaim policy was Retain, so the storage still has the data, and no empty claim is created; first create the PersistentVolume again, under this name and for the same disk"
            .formatted(Names.claim(pass.node()), volume.name(), disk));
    pass.recheckAfter(Recheck.UNWATCHED);
  }

  private static void report(NodePass pass, String volume, String found) {
    pass.offer(
        NodeConditionType.DATA_VOLUME_AT_RISK,
        ConditionProposal.yes(
            NodeReason.DATA_VOLUME_RELEASED,
            "%s; create claim %s with volumeName: %s, or set spec.dataVolume.acceptDataLoss to status.dataVolume.claimUid to start over without the data"
                .formatted(found, Names.claim(pass.node()), volume)));
  }
}
