package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.config.OperatorConfig;
import java.util.Optional;

/**
 * The claim that holds a node's data. It is rendered to be created: only its size and its
 * VolumeAttributesClass change later.
 */
public final class ClaimRenderer {

  /** On nodes whose data outlives them, also on those that another operator made. */
  public static final String FINALIZER = "sei.io/seinode-finalizer";

  private final OperatorConfig config;

  /** A renderer that takes classes and sizes from the configuration. */
  public ClaimRenderer(OperatorConfig config) {
    this.config = config;
  }

  /**
   * The claim to create; empty for a node that imports one. With {@code onDelete: Retain} it has no
   * ownerReference, since the garbage collector deletes what has one before anybody can object; a
   * label and {@link Annotations#CLAIM_OWNER_UID} always say whose it is.
   */
  public Optional<PersistentVolumeClaim> render(SeiNode node) {
    return Names.importedClaim(node).isPresent() ? Optional.empty() : Optional.of(own(node));
  }

  private PersistentVolumeClaim own(SeiNode node) {
    var defaults = NodeMode.of(node.getSpec()).storage(config);
    Optional<DataVolume.Storage> asked = node.getSpec().storage();
    String storageClass =
        asked.map(DataVolume.Storage::storageClassName).or(defaults::storageClass).orElse(null);
    Quantity size =
        asked.flatMap(DataVolume.Storage::size).orElseGet(() -> new Quantity(defaults.size()));
    var metadata =
        Metadata.unowned(node, Names.claim(node))
            .addToAnnotations(Annotations.CLAIM_OWNER_UID, node.getMetadata().getUid());
    if (!isRetained(node)) {
      metadata.addToOwnerReferences(Metadata.controller(node));
    }
    return new PersistentVolumeClaimBuilder()
        .withMetadata(metadata.build())
        .withNewSpec()
        .withAccessModes("ReadWriteOnce")
        .withStorageClassName(storageClass)
        .withVolumeAttributesClassName(
            asked.map(DataVolume.Storage::volumeAttributesClassName).orElse(null))
        .withNewResources()
        .addToRequests("storage", size)
        .endResources()
        .endSpec()
        .build();
  }

  /** Name of the claim that goes with a node, and the data in it; empty if it outlives the node. */
  public static Optional<String> deletedWith(SeiNode node) {
    boolean stays = isRetained(node) || Names.importedClaim(node).isPresent();
    return stays ? Optional.empty() : Optional.of(Names.claim(node));
  }

  /**
   * Whether a node's data outlives it. The policy of a spec that cannot be read is unknown, and
   * data is kept where it may say so.
   */
  public static boolean isRetained(SeiNode node) {
    if (node.getSpec() == null) {
      return node.hasFinalizer(FINALIZER);
    }
    DataVolume volume = node.getSpec().dataVolume();
    return volume != null && volume.onDelete() == DataVolume.RetentionPolicy.RETAIN;
  }
}
