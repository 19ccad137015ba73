package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.VolumeNodeAffinity;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Fields of a PersistentVolume that are kept in memory.
 *
 * @param claimUid the claim that it is bound to, or was last; empty if its claimRef has no uid
 * @param phase such as Bound, Released or Failed; empty until Kubernetes has set it
 * @param terminating whether it is being deleted
 * @param retained whether its reclaim policy is Retain, so that it outlives its claim
 * @param handle the storage driver and its name for the volume; empty if it is not of a CSI driver
 * @param onlyNode the Kubernetes node that alone can use it; empty if others may
 * @param isHostPath whether it is a directory of its Kubernetes node, which no kubelet mounts
 *     read-only
 */
public record VolumeFacts(
    String name,
    Optional<String> claimUid,
    String phase,
    boolean terminating,
    boolean retained,
    Optional<String> handle,
    Optional<String> onlyNode,
    boolean isHostPath) {

  /** The reclaim policy by which a volume outlives its claim. */
  public static final String RETAIN = "Retain";

  /** Labels that storage drivers tell single Kubernetes nodes by; a zone is none of them. */
  private static final Pattern OF_ONE_NODE = Pattern.compile(".*/(hostname|node|nodename)");

  /** Takes from a PersistentVolume what is kept of it. */
  public static VolumeFacts of(PersistentVolume volume) {
    var spec = volume.getSpec();
    return new VolumeFacts(
        volume.getMetadata().getName(),
        Optional.ofNullable(spec.getClaimRef()).map(reference -> reference.getUid()),
        Optional.ofNullable(volume.getStatus()).map(status -> status.getPhase()).orElse(""),
        volume.isMarkedForDeletion(),
        RETAIN.equals(spec.getPersistentVolumeReclaimPolicy()),
        Optional.ofNullable(spec.getCsi())
            .filter(source -> source.getVolumeHandle() != null)
            .map(source -> source.getDriver() + " " + source.getVolumeHandle()),
        onlyNode(volume),
        spec.getHostPath() != null);
  }

  /** Returns whether it is bound to the claim with this uid, or was last. */
  public boolean isOfClaim(String uid) {
    return claimUid.equals(Optional.of(uid));
  }

  /**
   * Returns whether it is bound to another claim than that with this uid, or was last. A volume
   * without a uid is neither: an administrator removes it to bind the volume to a new claim.
   */
  public boolean isOfAnotherClaim(String uid) {
    return claimUid.isPresent() && !isOfClaim(uid);
  }

  private static Optional<String> onlyNode(PersistentVolume volume) {
    List<NodeSelectorTerm> terms =
        Optional.ofNullable(volume.getSpec().getNodeAffinity())
            .map(VolumeNodeAffinity::getRequired)
            .map(selector -> selector.getNodeSelectorTerms())
            .orElse(List.of());
    return terms.size() != 1
        ? Optional.empty()
        : terms.get(0).getMatchExpressions().stream()
            .filter(requirement -> OF_ONE_NODE.matcher(requirement.getKey()).matches())
            .filter(
                requirement ->
                    "In".equals(requirement.getOperator()) && requirement.getValues().size() == 1)
            .map(NodeSelectorRequirement::getValues)
            .map(values -> values.get(0))
            .findFirst();
  }
}
