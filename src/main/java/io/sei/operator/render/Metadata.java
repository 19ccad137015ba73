package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;

/** What all objects of a node carry: its namespace, its labels, and whose they are. */
final class Metadata {

  private static final String API_VERSION = SeiNode.GROUP + "/" + SeiNode.VERSION;

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

  static OwnerReference controller(SeiNode node) {
    return new OwnerReferenceBuilder()
        .withApiVersion(API_VERSION)
        .withKind(SeiNode.KIND)
        .withName(node.getMetadata().getName())
        .withUid(node.getMetadata().getUid())
        .withController(true)
        .withBlockOwnerDeletion(true)
        .build();
  }
}
