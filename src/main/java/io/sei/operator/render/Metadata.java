package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;

/** Common metadata of a node's objects: namespace, labels, owner. */
final class Metadata {

  private Metadata() {}

  /** Metadata of an object that is collected when its node is deleted. */
  static ObjectMeta owned(SeiNode node, String name) {
    return unowned(node, name).addToOwnerReferences(controller(node)).build();
  }

  static ObjectMetaBuilder unowned(SeiNode node, String name) {
    return new ObjectMetaBuilder()
        .withName(name)
        .withNamespace(node.getMetadata().getNamespace())
        .withLabels(Labels.of(node));
  }

  /** The reference that makes a node or a fleet the controller of an object. */
  static OwnerReference controller(HasMetadata owner) {
    return new OwnerReferenceBuilder()
        .withApiVersion(owner.getApiVersion())
        .withKind(owner.getKind())
        .withName(owner.getMetadata().getName())
        .withUid(owner.getMetadata().getUid())
        .withController(true)
        .withBlockOwnerDeletion(true)
        .build();
  }
}
