package io.sei.operator.node.peers;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.model.NodeCaches;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.progression.PeerResolution;
import io.sei.operator.progression.PeerResolution.Peer;
import io.sei.operator.progression.PeerSources;
import io.sei.operator.render.KeyMaterial;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.sidecar.SidecarAddress;
import io.sei.operator.sidecar.Sidecars;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Finds the nodes that label sources select: those of the same chain, in a fleet or alone. The
 * identity of a node with a {@code nodeKey} Secret is what it has recorded of that Secret; its
 * sidecar would tell that of a key on the volume, which seid does not use.
 */
public record PeerResolver(NodeCaches caches, Sidecars sidecars) {

  /** What a node's label sources come to now, as far as is known. */
  public PeerResolution resolve(SeiNode node) {
    if (!PeerSources.areLabelled(node.getSpec())) {
      return PeerResolution.NONE;
    }
    var peers = new ArrayList<Peer>();
    caches
        .nodes()
        .filter(other -> isPeer(node, other))
        .forEach(peer -> peers.add(peer(node, peer)));
    List<String> known = NodeSnapshot.statusOf(node).resolvedPeers();
    return PeerResolution.of(peers, known == null ? List.of() : known);
  }

  /** Notes that another pod runs a node: those who name it as a peer want to know. */
  public void announce(SeiNode node) {
    if (!hasNodeKey(node)) {
      caches
          .nodes()
          .filter(other -> caches.isOwn(other) && isPeer(other, node))
          .forEach(other -> nodeId(node, other));
    }
  }

  /**
   * Notes what a node records as its identity. A sidecar's answer wakes those who asked for it, a
   * record wakes nobody: those who know the node by another identity are woken here.
   */
  public void announce(SeiNode node, String nodeId) {
    String address = nodeId + "@" + Names.peerAddress(node);
    caches
        .nodes()
        .filter(other -> caches.isOwn(other) && isPeer(other, node))
        .filter(other -> !isKnown(address, other))
        .map(ResourceID::fromResource)
        .forEach(sidecars::wakeAboutPeer);
  }

  private static boolean isKnown(String address, SeiNode node) {
    List<String> known = NodeSnapshot.statusOf(node).resolvedPeers();
    return known != null && known.contains(address);
  }

  private Peer peer(SeiNode node, SeiNode peer) {
    boolean stopped = Boolean.TRUE.equals(peer.getSpec().paused()) || peer.isMarkedForDeletion();
    boolean ready = caches.pod(peer).filter(PodFacts::isReady).isPresent();
    return new Peer(
        Names.peerAddress(peer), nodeId(peer, node), !stopped, Names.rpcAddress(peer), ready);
  }

  private Optional<String> nodeId(SeiNode peer, SeiNode asker) {
    if (hasNodeKey(peer)) {
      return Optional.ofNullable(NodeSnapshot.statusOf(peer).nodeId());
    }
    ResourceID id = ResourceID.fromResource(peer);
    return caches.isOwn(peer)
        ? sidecars.nodeId(id, ResourceID.fromResource(asker))
        : sidecars.nodeIdElsewhere(id, sidecar(peer), ResourceID.fromResource(asker));
  }

  private SidecarAddress sidecar(SeiNode node) {
    Optional<Pod> pod = caches.pod(node);
    return new SidecarAddress(
        node.getMetadata().getNamespace(),
        node.getMetadata().getName(),
        pod.map(it -> it.getMetadata().getUid()),
        pod.flatMap(PodFacts::address));
  }

  private static boolean hasNodeKey(SeiNode node) {
    return KeyMaterial.of(node.getSpec()).nodeKey().isPresent();
  }

  /** Whether one of a node's label sources selects another node, of its own chain. */
  private static boolean isPeer(SeiNode node, SeiNode other) {
    return node.getSpec() != null
        && node.getSpec().peers() != null
        && other.getSpec() != null
        && !ResourceID.fromResource(node).equals(ResourceID.fromResource(other))
        && Objects.equals(node.getSpec().chainId(), other.getSpec().chainId())
        && node.getSpec().peers().stream()
            .map(PeerSource::label)
            .filter(Objects::nonNull)
            .anyMatch(label -> isSelected(label, node, other));
  }

  private static boolean isSelected(PeerSource.LabelPeers label, SeiNode node, SeiNode other) {
    String namespace =
        label.namespace() == null || label.namespace().isEmpty()
            ? node.getMetadata().getNamespace()
            : label.namespace();
    return namespace.equals(other.getMetadata().getNamespace())
        && labels(other).entrySet().containsAll(label.selector().entrySet());
  }

  /** Only a fleet's nodes carry the chain as a label; of all of them the spec has it. */
  private static Map<String, String> labels(SeiNode node) {
    var labels = new HashMap<String, String>();
    Optional.ofNullable(node.getMetadata().getLabels()).ifPresent(labels::putAll);
    labels.put(Labels.CHAIN, node.getSpec().chainId());
    return labels;
  }
}
