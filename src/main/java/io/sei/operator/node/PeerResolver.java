package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.PeerNodes;
import io.sei.operator.node.feature.PeerResolution;
import io.sei.operator.node.feature.PeerResolution.Peer;
import io.sei.operator.node.feature.PeerSelection;
import io.sei.operator.node.feature.PeerSources;
import io.sei.operator.render.Names;
import io.sei.operator.sidecar.SidecarAddress;
import io.sei.operator.sidecar.Sidecars;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Resolves the nodes that label sources select: those of the same chain, in a fleet or alone. The
 * identity of a node with a {@code nodeKey} Secret is what it has recorded of that Secret; its
 * sidecar would tell that of a key on the volume, which seid does not use.
 */
public record PeerResolver(PeerNodes nodes, Sidecars sidecars) {

  /** Resolves the label sources of a node by what is known of the selected nodes now. */
  public PeerResolution resolve(SeiNode node) {
    if (!PeerSources.areLabelled(node.getSpec())) {
      return PeerResolution.NONE;
    }
    var peers = new ArrayList<Peer>();
    PeerSelection.peersOf(node, nodes::nodes).forEach(peer -> peers.add(peer(node, peer)));
    List<String> known =
        Objects.requireNonNullElse(NodeView.statusOf(node).resolvedPeers(), List.of());
    if (nodes.unreadableNodes().anyMatch(other -> mayBePeer(node, other))) {
      // The unreadable node may be one of the known peers, so all of these stay.
      known.forEach(address -> peers.add(unread(address)));
    }
    return PeerResolution.of(peers, known);
  }

  private static Peer unread(String known) {
    int end = known.indexOf('@');
    return new Peer(
        known.substring(end + 1),
        Optional.of(known.substring(0, Math.max(0, end))),
        false,
        Optional.empty(),
        false);
  }

  /** Returns whether one of a node's label sources may select a node whose spec cannot be read. */
  private static boolean mayBePeer(SeiNode node, SeiNode unreadable) {
    String own = node.getMetadata().getNamespace();
    return node.getSpec().peers().stream()
        .map(PeerSource::label)
        .filter(Objects::nonNull)
        .map(PeerSource.LabelPeers::namespace)
        .map(namespace -> namespace == null || namespace.isEmpty() ? own : namespace)
        .anyMatch(unreadable.getMetadata().getNamespace()::equals);
  }

  /** Asks the sidecar of a node's new pod for its identity, for the nodes that select it. */
  public void announce(SeiNode node) {
    if (!hasNodeKey(node)) {
      ownSeekers(node).forEach(seeker -> nodeId(node, seeker));
    }
  }

  /**
   * Reconciles the nodes that select a node and know it by another identity than the one that it
   * has recorded. The answer of a sidecar does this by itself, a record in a status does not.
   */
  public void announce(SeiNode node, String nodeId) {
    String address = nodeId + "@" + Names.peerAddress(node);
    ownSeekers(node)
        .filter(seeker -> !isKnown(address, seeker))
        .map(ResourceID::fromResource)
        .forEach(sidecars::wakeAboutPeer);
  }

  private Stream<SeiNode> ownSeekers(SeiNode node) {
    return PeerSelection.seekersOf(
        node, namespace -> nodes.peerSeekers(namespace).filter(nodes::isOwn));
  }

  private static boolean isKnown(String address, SeiNode node) {
    List<String> known = NodeView.statusOf(node).resolvedPeers();
    return known != null && known.contains(address);
  }

  private Peer peer(SeiNode node, SeiNode peer) {
    boolean stopped = Boolean.TRUE.equals(peer.getSpec().paused()) || peer.isMarkedForDeletion();
    boolean ready = nodes.pod(peer).filter(PodFacts::isReady).isPresent();
    return new Peer(
        Names.peerAddress(peer), nodeId(peer, node), !stopped, Names.rpcAddress(peer), ready);
  }

  private Optional<String> nodeId(SeiNode peer, SeiNode asker) {
    if (hasNodeKey(peer)) {
      return Optional.ofNullable(NodeView.statusOf(peer).nodeId());
    }
    ResourceID id = ResourceID.fromResource(peer);
    return nodes.isOwn(peer)
        ? sidecars.nodeId(id, ResourceID.fromResource(asker))
        : sidecars.nodeIdElsewhere(id, sidecar(peer), ResourceID.fromResource(asker));
  }

  private SidecarAddress sidecar(SeiNode node) {
    Optional<Pod> pod = nodes.pod(node);
    return new SidecarAddress(
        node.getMetadata().getNamespace(),
        node.getMetadata().getName(),
        pod.map(present -> present.getMetadata().getUid()),
        pod.flatMap(PodFacts::address));
  }

  private static boolean hasNodeKey(SeiNode node) {
    return node.getSpec().nodeKeySecret().isPresent();
  }
}
