package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimCondition;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.VolumeSize;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.Names;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * PURE: the condition DataVolumeResized, which follows the claim's own conditions and capacity. A
 * node whose spec never said anything of its storage does not have the condition.
 */
final class DataVolumeResized {

  private static final NodeConditionType TYPE = NodeConditionType.DATA_VOLUME_RESIZED;

  private final NodeReconcile reconcile;
  private final PersistentVolumeClaim claim;
  private final VolumeSize size;

  private DataVolumeResized(NodeReconcile reconcile, PersistentVolumeClaim claim, VolumeSize size) {
    this.reconcile = reconcile;
    this.claim = claim;
    this.size = size;
  }

  /** Sets the condition, if there is or was something to say. A refusal was reported already. */
  static void derive(NodeReconcile reconcile) {
    Optional<Condition> said = Conditions.find(reconcile.status().conditions(), TYPE);
    Optional<PersistentVolumeClaim> claim = reconcile.snapshot().claim();
    Optional<VolumeSize> size = claim.flatMap(it -> VolumeSize.of(reconcile.node(), it));
    boolean refused =
        size.filter(VolumeSize::isToChange).isPresent()
            && said.filter(it -> it.isFor(NodeReason.RESIZE_REFUSED)).isPresent();
    if (refused || (said.isEmpty() && storage(reconcile).isEmpty())) {
      return;
    }
    imported(reconcile)
        .or(() -> size.map(it -> new DataVolumeResized(reconcile, claim.get(), it).verdict()))
        .ifPresent(it -> reconcile.put(TYPE, it));
  }

  private static Optional<Verdict> imported(NodeReconcile reconcile) {
    return Names.importedClaim(reconcile.node())
        .filter(claim -> storage(reconcile).isPresent())
        .map(
            claim ->
                Verdict.no(
                    NodeReason.CLAIM_IMPORTED,
                    "spec.dataVolume.storage is of a claim that the operator makes, and claim %s is imported: resize that claim itself, and remove the field"
                        .formatted(claim)));
  }

  private Verdict verdict() {
    return Stream.of(tooSmall(), otherClass(), growing())
        .flatMap(Optional::stream)
        .findFirst()
        .orElseGet(
            () ->
                Verdict.yes(
                    NodeReason.RESIZED,
                    "claim %s has %s".formatted(size.claim(), size.capacity())));
  }

  private Optional<Verdict> tooSmall() {
    return size.isTooSmall()
        ? Optional.of(
            Verdict.no(
                NodeReason.CANNOT_SHRINK,
                "%s is %s, less than the %s of claim %s: a volume cannot shrink; set %s or more"
                    .formatted(
                        VolumeSize.FIELD,
                        size.wanted(),
                        size.requested(),
                        size.claim(),
                        size.requested())))
        : Optional.empty();
  }

  private Optional<Verdict> otherClass() {
    String actual = claim.getSpec().getStorageClassName();
    return storage(reconcile)
        .map(DataVolume.Storage::storageClassName)
        .filter(wanted -> !wanted.equals(actual))
        .map(
            wanted ->
                Verdict.no(
                    NodeReason.STORAGE_CLASS_DIFFERS,
                    "spec.dataVolume.storage.storageClassName is %s, and claim %s was made with %s, which it keeps; set it back, or give the data to a new claim and import that"
                        .formatted(
                            wanted,
                            size.claim(),
                            actual == null ? "none" : "StorageClass " + actual)));
  }

  private Optional<Verdict> growing() {
    String growth =
        "claim %s grows from %s to %s".formatted(size.claim(), size.capacity(), size.wanted());
    if (size.isToChange()) {
      return Optional.of(Verdict.no(NodeReason.RESIZING, growth));
    }
    if (size.isReached()) {
      return Optional.empty();
    }
    return error()
        .map(
            words ->
                Verdict.no(
                    NodeReason.RESIZE_FAILED,
                    "%s, and the storage driver reports: %s; it is tried again, or set a smaller size above %s"
                        .formatted(growth, words, size.capacity())))
        .or(
            () ->
                condition("FileSystemResizePending")
                    .map(
                        it ->
                            Verdict.no(
                                NodeReason.FILE_SYSTEM_RESIZE_PENDING,
                                growth
                                    + ": the kubelet resizes its file system while the pod runs; if"
                                    + " this stays for some minutes, restart the node with the"
                                    + " annotation sei.io/restart-requested-at")))
        .or(() -> Optional.of(Verdict.no(NodeReason.RESIZING, growth)));
  }

  /** Newer drivers report an error as a condition, or at least that trying again is of no use. */
  private Optional<String> error() {
    Optional<String> condition =
        conditions()
            .filter(it -> it.getType().endsWith("ResizeError") && "True".equals(it.getStatus()))
            .map(it -> it.getMessage() == null ? it.getType() : it.getMessage())
            .findFirst();
    return condition.or(
        () ->
            Optional.ofNullable(claim.getStatus().getAllocatedResourceStatuses())
                .map(it -> it.get("storage"))
                .filter(it -> it.endsWith("Infeasible")));
  }

  private Optional<PersistentVolumeClaimCondition> condition(String type) {
    return conditions()
        .filter(it -> type.equals(it.getType()) && "True".equals(it.getStatus()))
        .findFirst();
  }

  private Stream<PersistentVolumeClaimCondition> conditions() {
    return claim.getStatus().getConditions().stream();
  }

  private static Optional<DataVolume.Storage> storage(NodeReconcile reconcile) {
    return reconcile.node().getSpec().storage();
  }
}
