package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNode;
import java.util.Optional;
import java.util.stream.Stream;

/** The SeiNodes and their pods that peers are resolved from, those of other shards included. */
public interface PeerNodes {

  /** The nodes of a namespace. */
  Stream<SeiNode> nodes(String namespace);

  /** Every node whose object could not be read. */
  Stream<SeiNode> unreadableNodes();

  /** The nodes with a label source of peers for a namespace. */
  Stream<SeiNode> peerSeekers(String namespace);

  /** Returns whether this process manages a node, and not another shard. */
  boolean isOwn(SeiNode node);

  /** The pod with the name of the node's pod, unless it cannot be read. */
  Optional<Pod> pod(SeiNode node);
}
