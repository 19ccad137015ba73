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
import io.sei.operator.render.Names;
import io.sei.operator.sidecar.SidecarAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Finds the nodes that label sources select. */
public final class PeerResolver {

  private final NodeCaches caches;
  private final PeerDirectory directory;
  private final Map<ResourceID, SidecarAddress> announced = new ConcurrentHashMap<>();

  public PeerResolver(NodeCaches caches, PeerDirectory directory) {
    this.caches = caches;
    this.directory = directory;
  }

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

  /**
   * Notes that a pod runs a node at an address: those who name the node as a peer may want to know.
   */
  public void announce(SeiNode node, Pod pod) {
    ResourceID id = ResourceID.fromResource(node);
    SidecarAddress sidecar = sidecarOf(id, pod);
    if (sidecar.equals(announced.put(id, sidecar))) {
      return;
    }
    caches
        .nodes()
        .filter(other -> isPeer(other, node))
        .forEach(other -> directory.nodeId(id, sidecar, ResourceID.fromResource(other)));
  }

  /** Forgets a node that is gone. */
  public void forget(ResourceID node) {
    announced.remove(node);
    directory.forget(node);
  }

  private Peer peer(SeiNode node, SeiNode peer) {
    ResourceID id = ResourceID.fromResource(peer);
    Optional<String> nodeId =
        caches
            .pod(peer)
            .filter(pod -> pod.getStatus() != null && "Running".equals(pod.getStatus().getPhase()))
            .map(pod -> directory.nodeId(id, sidecarOf(id, pod), ResourceID.fromResource(node)))
            .orElseGet(() -> directory.nodeId(id));
    boolean stopped = Boolean.TRUE.equals(peer.getSpec().paused()) || peer.isMarkedForDeletion();
    boolean ready = caches.pod(peer).filter(PodFacts::isReady).isPresent();
    return new Peer(Names.peerAddress(peer), nodeId, !stopped, Names.rpcAddress(peer), ready);
  }

  private static SidecarAddress sidecarOf(ResourceID node, Pod pod) {
    return new SidecarAddress(
        node.getNamespace().orElseThrow(),
        node.getName(),
        Optional.of(pod.getMetadata().getUid()),
        PodFacts.address(pod));
  }

  /** Whether one of a node's label sources selects another node. */
  private static boolean isPeer(SeiNode node, SeiNode other) {
    return node.getSpec() != null
        && node.getSpec().peers() != null
        && other.getSpec() != null
        && !ResourceID.fromResource(node).equals(ResourceID.fromResource(other))
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
    Map<String, String> labels = other.getMetadata().getLabels();
    return namespace.equals(other.getMetadata().getNamespace())
        && labels != null
        && labels.entrySet().containsAll(label.selector().entrySet());
  }
}
