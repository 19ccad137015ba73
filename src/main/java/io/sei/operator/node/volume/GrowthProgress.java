package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimCondition;
import java.util.Optional;

/**
 * PURE: a claim's progress of a growth. The storage driver expands the volume, and then the kubelet
 * its file system. An error of the driver stays on the claim until both are done, as seen with
 * external-resizer 2.3 and the kubelet of Kubernetes 1.37.
 *
 * @param isFileSystemNext whether only the file system is yet to grow
 * @param error why the current one of the two does not get on; empty if nothing is known to be
 *     wrong
 */
record GrowthProgress(boolean isFileSystemNext, Optional<String> error) {

  private static final String OF_KUBELET = "NodeResizeError";

  static GrowthProgress of(PersistentVolumeClaim claim) {
    Optional<String> status =
        Optional.ofNullable(claim.getStatus().getAllocatedResourceStatuses())
            .map(values -> values.get("storage"));
    boolean isFileSystemNext =
        MountedGrowth.pending(claim).isPresent()
            && status.filter(text -> text.startsWith("Controller")).isEmpty();
    return new GrowthProgress(
        isFileSystemNext,
        said(claim, isFileSystemNext).or(() -> status.filter(text -> text.endsWith("Infeasible"))));
  }

  private static Optional<String> said(PersistentVolumeClaim claim, boolean isFileSystemNext) {
    return claim.getStatus().getConditions().stream()
        .filter(
            condition ->
                condition.getType().endsWith("ResizeError") && "True".equals(condition.getStatus()))
        .filter(condition -> !isFileSystemNext || condition.getType().equals(OF_KUBELET))
        .map(GrowthProgress::words)
        .findFirst();
  }

  /** Newer drivers report an error as a condition, or at least that trying again is of no use. */
  private static String words(PersistentVolumeClaimCondition error) {
    return error.getMessage() == null ? error.getType() : error.getMessage();
  }

  /** By this code a driver refuses a volume that is in use (CSI specification). */
  boolean isRefusedInUse() {
    return error.filter(text -> text.contains("FailedPrecondition")).isPresent();
  }

  /**
   * Returns whether a pod that mounts the volume has its file system grow, as far as the claim
   * says.
   */
  boolean isForTheNextMount() {
    return isFileSystemNext && (error.isEmpty() || isRefusedInUse());
  }
}
