package io.sei.operator.node.volume;

import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.node.feature.ConditionEvents;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.Names;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The condition DataVolumeResized, which follows the claim's own conditions and capacity. A node
 * whose spec never said anything of its storage does not have the condition.
 */
record DataVolumeResized(AutoGrowth growth) {

  private static final NodeConditionType TYPE = NodeConditionType.DATA_VOLUME_RESIZED;

  void conditions(ConditionParts conditions) {
    conditions
        .report(this::report)
        .event(
            ConditionEvents.ofVolume(
                TYPE,
                NodeReason.RESIZED,
                NodeReason.FILLING,
                NodeReason.RESIZING,
                NodeReason.FILE_SYSTEM_RESIZE_PENDING));
  }

  /** Sets the condition, if there is or was something to say. A refusal was reported already. */
  void report(NodePass pass) {
    Optional<Condition> said = pass.draft().condition(TYPE);
    Optional<PersistentVolumeClaim> claim = pass.view().claim();
    Optional<VolumeSize> size = VolumeSize.of(pass);
    boolean refused =
        said.filter(condition -> condition.isFor(NodeReason.RESIZE_REFUSED)).isPresent()
            && claim.flatMap(present -> growth.toRequest(pass, present)).isPresent();
    if (refused || (said.isEmpty() && storage(pass).isEmpty())) {
      return;
    }
    imported(pass)
        .or(() -> size.flatMap(present -> atMaximum(pass, claim.get(), present)))
        .or(() -> size.map(present -> verdict(pass, claim.get(), present)))
        .ifPresent(proposal -> pass.put(TYPE, proposal));
  }

  private static Optional<ConditionProposal> imported(NodePass pass) {
    return Names.importedClaim(pass.node())
        .filter(claim -> storage(pass).isPresent())
        .map(
            claim ->
                no(
                    NodeReason.CLAIM_IMPORTED,
                    "spec.dataVolume.storage applies only to claims that the operator creates, and claim %s is imported: resize that claim itself, and remove the field"
                        .formatted(claim)));
  }

  private Optional<ConditionProposal> atMaximum(
      NodePass pass, PersistentVolumeClaim claim, VolumeSize size) {
    return growth
        .decision(pass, claim)
        .filter(GrowthDecision.AtMaximum.class::isInstance)
        .map(
            decision ->
                no(
                    NodeReason.MAXIMUM_REACHED,
                    "claim %s has %s, the most that %s allows, and %s; raise its maxSize"
                        .formatted(
                            size.claim(),
                            size.capacity(),
                            VolumeSize.AUTO_GROW,
                            growth.isFull(pass)
                                ? "seid has no room left"
                                : "its usedPercent is reached")));
  }

  private ConditionProposal verdict(NodePass pass, PersistentVolumeClaim claim, VolumeSize size) {
    return Stream.of(
            tooSmall(size),
            otherClass(pass, claim, size),
            growing(pass, claim, size),
            blind(pass, size))
        .flatMap(Optional::stream)
        .findFirst()
        .orElseGet(() -> reached(size, growth.outlook(pass)));
  }

  private static ConditionProposal reached(VolumeSize size, Outlook outlook) {
    return yes(
        outlook == Outlook.CALM ? NodeReason.RESIZED : NodeReason.FILLING,
        "claim %s has %s%s".formatted(size.claim(), size.capacity(), outlook.words()));
  }

  private Optional<ConditionProposal> blind(NodePass pass, VolumeSize size) {
    return growth
        .blindness(pass)
        .map(
            blindness ->
                no(
                    NodeReason.USAGE_UNKNOWN,
                    "claim %s has %s, and grows only once seid has died of a full disk, not at %s.usedPercent: %s"
                        .formatted(
                            size.claim(), size.capacity(), VolumeSize.AUTO_GROW, blindness)));
  }

  private static Optional<ConditionProposal> tooSmall(VolumeSize size) {
    return size.isTooSmall()
        ? Optional.of(
            no(
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

  private static Optional<ConditionProposal> otherClass(
      NodePass pass, PersistentVolumeClaim claim, VolumeSize size) {
    String actual = claim.getSpec().getStorageClassName();
    return storage(pass)
        .map(DataVolume.Storage::storageClassName)
        .filter(wanted -> !wanted.equals(actual))
        .map(
            wanted ->
                no(
                    NodeReason.STORAGE_CLASS_DIFFERS,
                    "spec.dataVolume.storage.storageClassName is %s, and claim %s was made with %s, which it keeps; remove spec.dataVolume.storage, then set it again as the claim is"
                        .formatted(
                            wanted,
                            size.claim(),
                            actual == null ? "none" : "StorageClass " + actual)));
  }

  private static Optional<ConditionProposal> growing(
      NodePass pass, PersistentVolumeClaim claim, VolumeSize size) {
    String growth =
        "claim %s grows from %s to %s%s"
            .formatted(
                size.claim(),
                size.capacity(),
                size.wanted(),
                size.isMoreThanAsked() ? ", by " + VolumeSize.AUTO_GROW : "");
    if (size.isToChange()) {
      return Optional.of(no(NodeReason.RESIZING, growth));
    }
    if (size.isReached()) {
      return Optional.empty();
    }
    var progress = GrowthProgress.of(claim);
    if (progress.isForTheNextMount()) {
      return Optional.of(
          no(NodeReason.FILE_SYSTEM_RESIZE_PENDING, growth + nextMount(pass, progress)));
    }
    return Optional.of(
        progress
            .error()
            .map(
                words ->
                    no(
                        NodeReason.RESIZE_FAILED,
                        "%s, and the storage driver reports: %s; %s"
                            .formatted(growth, words, afterError(progress, size))))
            .orElseGet(() -> no(NodeReason.RESIZING, growth)));
  }

  private static String nextMount(NodePass pass, GrowthProgress progress) {
    if (pass.view().livePod().isEmpty()) {
      return ": the volume has grown, and its file system grows once a pod has it"
          + (pass.view().isPaused() ? "; set spec.paused to false" : "");
    }
    String restart = "restart the node with the annotation sei.io/restart-requested-at";
    return progress.isRefusedInUse()
        ? ": its file system grows only in another pod; " + restart
        : ": the kubelet resizes its file system while the pod runs; if this stays for some"
            + " minutes, "
            + restart;
  }

  private static String afterError(GrowthProgress progress, VolumeSize size) {
    return progress.isRefusedInUse()
        ? "if it grows a volume only while no pod has it, set spec.paused until it has grown"
        : "it is tried again, or set a smaller size above " + size.capacity();
  }

  private static Optional<DataVolume.Storage> storage(NodePass pass) {
    return pass.node().getSpec().storage();
  }
}
