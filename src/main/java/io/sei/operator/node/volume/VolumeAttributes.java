package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.node.feature.ClaimPatches;
import io.sei.operator.node.feature.ConditionEvents;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.Names;
import java.util.Optional;

/**
 * Has a node's claim name the VolumeAttributesClass that the spec names, and says by the claim what
 * the storage driver makes of it. Whether a class exists is said by the claim as well: the operator
 * needs no right to read any. Nothing restarts, and no node is stalled by it.
 */
final class VolumeAttributes {

  private static final NodeConditionType TYPE = NodeConditionType.DATA_VOLUME_MODIFIED;

  private final ClaimPatches patches;

  /**
   * @param memory forgets a node that is gone
   */
  VolumeAttributes(KubeApi api, NodeCaches caches, PerObjectState<ResourceID> memory) {
    this.patches = new ClaimPatches(api, caches, memory);
  }

  /** Changes the class of the node's own claim; writes only a difference. */
  void keep(NodePass pass) {
    Optional<PersistentVolumeClaim> claim = patches.own(pass);
    Optional<AttributesClass> wanted =
        claim
            .flatMap(own -> AttributesClass.of(own, asked(pass)))
            .filter(AttributesClass::isToChange);
    if (wanted.isEmpty()) {
      patches.settled(pass);
      return;
    }
    String name = wanted.get().wanted();
    patches
        .send(
            pass,
            claim.get(),
            MetadataPatch.attributesClass(claim.get(), name),
            wanted.get()::refused)
        .filter(candidate -> !name.equals(candidate.getSpec().getVolumeAttributesClassName()))
        .ifPresent(own -> patches.refused(pass, wanted.get().dropped()));
  }

  void conditions(ConditionParts conditions) {
    conditions
        .report(this::report)
        .event(ConditionEvents.ofVolume(TYPE, NodeReason.MODIFIED, NodeReason.MODIFYING));
  }

  /** Sets the condition, if there is or was something to say. */
  void report(NodePass pass) {
    Optional<PersistentVolumeClaim> claim =
        pass.view().claim().filter(candidate -> Names.importedClaim(pass.node()).isEmpty());
    patches
        .refusal(pass)
        .map(refusal -> ConditionProposal.no(NodeReason.MODIFY_REFUSED, refusal))
        .or(
            () ->
                claim
                    .flatMap(own -> AttributesClass.of(own, asked(pass)))
                    .flatMap(AttributesClass::verdict))
        .or(() -> claim.filter(candidate -> isUnsaid(pass, candidate)).map(AttributesClass::none))
        .ifPresent(proposal -> pass.put(TYPE, proposal));
  }

  private static boolean isUnsaid(NodePass pass, PersistentVolumeClaim claim) {
    return pass.draftedCondition(TYPE).isPresent()
        && asked(pass).isEmpty()
        && claim.getSpec().getVolumeAttributesClassName() == null;
  }

  private static Optional<String> asked(NodePass pass) {
    return pass.node().getSpec().storage().map(DataVolume.Storage::volumeAttributesClassName);
  }
}
