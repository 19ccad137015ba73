package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.RetentionPolicy;
import io.sei.operator.api.v1alpha1.NodeVolume;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.config.OperatorConfig;
import java.util.List;
import java.util.Optional;

/**
 * The claim that holds a node's data. It is rendered to be created: only its size and its
 * VolumeAttributesClass change later.
 */
public final class ClaimRenderer {

  /** Finalizer of nodes whose data outlives them, also of those that another operator made. */
  public static final String FINALIZER = "sei.io/seinode-finalizer";

  private final OperatorConfig config;

  /** A renderer that takes classes and sizes from the configuration. */
  public ClaimRenderer(OperatorConfig config) {
    this.config = config;
  }

  /**
   * The claim to create; empty for a node that imports one. A claim that is retained has no
   * ownerReference, since the garbage collector deletes owned objects before a finalizer runs; a
   * label and {@link Annotations#CLAIM_OWNER_UID} always name its node.
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
    var claim =
        new PersistentVolumeClaimBuilder()
            .withMetadata(
                Metadata.unowned(node, Names.claim(node))
                    .addToAnnotations(Annotations.CLAIM_OWNER_UID, node.getMetadata().getUid())
                    .addToAnnotations(Annotations.ON_DELETE, text(byDefault(node.getSpec())))
                    .build())
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
    claim.getMetadata().setOwnerReferences(owners(node, claim));
    return claim;
  }

  /**
   * The policy that a claim gets when the operator creates it: archives take weeks to sync, and the
   * volume of a signer has what was signed last.
   */
  public static RetentionPolicy byDefault(SeiNodeSpec spec) {
    boolean isKept = NodeMode.of(spec) == NodeMode.ARCHIVE || spec.signingKeySecret().isPresent();
    return isKept ? RetentionPolicy.RETAIN : RetentionPolicy.DELETE;
  }

  /**
   * Decides what happens to a claim when its node is deleted: what the spec says, else what was
   * written on the claim when the operator created it. A claim that the Go operator made has
   * nothing written on it and is deleted; an imported one never is.
   */
  public static RetentionPolicy onDelete(SeiNode node, PersistentVolumeClaim claim) {
    if (Names.importedClaim(node).isPresent()) {
      return RetentionPolicy.RETAIN;
    }
    DataVolume volume = node.getSpec().dataVolume();
    if (volume != null && volume.onDelete() != null) {
      return volume.onDelete();
    }
    return Annotations.has(claim, Annotations.ON_DELETE, text(RetentionPolicy.RETAIN))
        ? RetentionPolicy.RETAIN
        : RetentionPolicy.DELETE;
  }

  /** The owner that a node is of its claim: none if the claim outlives it. */
  public static List<OwnerReference> owners(SeiNode node, PersistentVolumeClaim claim) {
    return onDelete(node, claim) == RetentionPolicy.RETAIN
        ? List.of()
        : List.of(Metadata.controller(node));
  }

  /** A policy as it is written in an annotation. */
  public static String text(RetentionPolicy policy) {
    return policy == RetentionPolicy.RETAIN ? "Retain" : "Delete";
  }

  /**
   * Name of the claim that is deleted with a node, and its data; empty if it outlives the node.
   * Where no volume is recorded, the claim has the policy that the operator gives a new one.
   */
  public static Optional<String> deletedWith(SeiNode node) {
    if (Names.importedClaim(node).isPresent() || isRetained(node)) {
      return Optional.empty();
    }
    if (node.getSpec() == null || recorded(node) != null) {
      return Optional.of(Names.claim(node));
    }
    DataVolume volume = node.getSpec().dataVolume();
    boolean isUnset = volume == null || volume.onDelete() == null;
    boolean isKept = isUnset && byDefault(node.getSpec()) == RetentionPolicy.RETAIN;
    return isKept ? Optional.empty() : Optional.of(Names.claim(node));
  }

  /**
   * Returns whether a claim of the node's own outlives the node, by its spec or by the policy of
   * its claim in the status. The policy of a spec that cannot be read is unknown, and data is kept
   * where it may say so.
   */
  public static boolean isRetained(SeiNode node) {
    if (node.getSpec() == null) {
      return node.hasFinalizer(FINALIZER);
    }
    DataVolume volume = node.getSpec().dataVolume();
    if (volume != null && volume.onDelete() != null) {
      return volume.onDelete() == RetentionPolicy.RETAIN;
    }
    NodeVolume used = recorded(node);
    return Names.importedClaim(node).isEmpty()
        && used != null
        && used.onDelete() == RetentionPolicy.RETAIN;
  }

  private static NodeVolume recorded(SeiNode node) {
    return node.getStatus() == null ? null : node.getStatus().dataVolume();
  }
}
