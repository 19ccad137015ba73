package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.kube.Ownership;
import io.sei.operator.render.Annotations;
import java.util.Optional;

/**
 * PURE: that a node's data goes, or may go, as soon as its pod ends. Kubernetes keeps a claim that
 * is being deleted for as long as a pod mounts it, and reclaims the volume in the moment that pod
 * is gone.
 *
 * @param reason what is wrong, of the claim or of its volume
 * @param claim name of the claim
 * @param volume name of the claim's volume; empty if it is bound to none
 * @param seen the volume; empty if it could not be read
 * @param accepted whether the user lets the data go
 */
public record VolumeRisk(
    NodeReason reason,
    String claim,
    String claimUid,
    Optional<String> volume,
    Optional<VolumeFacts> seen,
    boolean accepted) {

  /**
   * Returns the risk for the data, if there is one.
   *
   * @param volume the claim's volume, if it could be read
   * @return empty if nothing is
   */
  public static Optional<VolumeRisk> of(
      SeiNode node, PersistentVolumeClaim claim, Optional<VolumeFacts> volume) {
    if (owner(node, claim).filter(uid -> isOther(node, uid)).isPresent()) {
      return Optional.empty();
    }
    Optional<String> name =
        Optional.ofNullable(claim.getSpec().getVolumeName())
            .filter(volumeName -> !volumeName.isEmpty());
    String uid = claim.getMetadata().getUid();
    Optional<VolumeFacts> seen =
        volume
            .filter(facts -> name.equals(Optional.of(facts.name())))
            .filter(facts -> facts.isOfClaim(uid));
    return ofClaim(claim)
        .or(() -> seen.flatMap(VolumeRisk::ofVolume))
        .map(
            reason ->
                new VolumeRisk(
                    reason,
                    claim.getMetadata().getName(),
                    uid,
                    name,
                    seen,
                    isAccepted(node.getSpec(), uid)));
  }

  /** Returns whether a claim is another node's, or was that of an earlier node of the name. */
  public static boolean isOfAnother(SeiNode node, PersistentVolumeClaim claim) {
    return owner(node, claim)
        .or(() -> Annotations.of(claim, Annotations.CLAIM_OWNER_UID))
        .filter(uid -> isOther(node, uid))
        .isPresent();
  }

  /**
   * The uid of the node that a claim is deleted with. A claim that only bears the mark of an
   * earlier node was orphaned or retained: this node may run on it, and only a person deletes it.
   */
  private static Optional<String> owner(SeiNode node, PersistentVolumeClaim claim) {
    return Ownership.controller(claim)
        // Whatever else owns a claim may have been imported from there.
        .filter(owner -> owner.getKind().equals(node.getKind()))
        .map(OwnerReference::getUid);
  }

  private static boolean isOther(SeiNode node, String uid) {
    return !uid.equals(node.getMetadata().getUid());
  }

  private static Optional<NodeReason> ofClaim(PersistentVolumeClaim claim) {
    if (claim.isMarkedForDeletion()) {
      return Optional.of(NodeReason.CLAIM_TERMINATING);
    }
    return Optional.ofNullable(claim.getStatus())
        .filter(status -> "Lost".equals(status.getPhase()))
        .map(status -> NodeReason.CLAIM_LOST);
  }

  private static Optional<NodeReason> ofVolume(VolumeFacts volume) {
    if (volume.terminating()) {
      return Optional.of(NodeReason.VOLUME_TERMINATING);
    }
    return switch (volume.phase()) {
      case "Failed" -> Optional.of(NodeReason.VOLUME_FAILED);
      case "Released" -> Optional.of(NodeReason.VOLUME_RELEASED);
      default -> Optional.empty();
    };
  }

  /**
   * Returns whether the user lets the data of the claim with this uid go. With a signing key that
   * takes a second word, since the record of what it has signed goes as well.
   */
  public static boolean isAccepted(SeiNodeSpec spec, String claimUid) {
    return claimUid != null
        && Optional.ofNullable(spec.dataVolume())
            .map(DataVolume::acceptDataLoss)
            .filter(claimUid::equals)
            .isPresent()
        && SigningState.mayBeLost(spec, claimUid);
  }

  /** Returns the problem. */
  public String what() {
    String of = volume.map(text -> "volume " + text).orElse("its volume");
    return switch (reason) {
      case CLAIM_TERMINATING -> "claim %s is being deleted".formatted(claim);
      case CLAIM_LOST -> "claim %s has lost %s".formatted(claim, of);
      case VOLUME_TERMINATING -> "%s of claim %s is being deleted".formatted(of, claim);
      case VOLUME_FAILED -> "%s of claim %s is Failed".formatted(of, claim);
      default -> "%s of claim %s is Released".formatted(of, claim);
    };
  }

  /** Returns problem, consequence and remedy. */
  public String message() {
    if (seen.filter(VolumeFacts::retained).isPresent()) {
      return "%s; the data on volume %s is kept (its reclaim policy is Retain), but a new pod of the node cannot use it until a new claim is bound to it"
          .formatted(what(), volume.orElseThrow());
    }
    String fate =
        seen.isPresent()
            ? "; the chain data is deleted when the pod ends"
            : "; the chain data may be deleted when the pod ends: the operator could not read the"
                + " volume, so it knows neither its state nor its reclaim policy";
    return what()
        + fate
        + volume
            .map(
                text ->
                    "; to keep it: kubectl patch pv %s -p '{\"spec\":{\"persistentVolumeReclaimPolicy\":\"Retain\"}}'"
                        .formatted(text))
            .orElse("");
  }
}
