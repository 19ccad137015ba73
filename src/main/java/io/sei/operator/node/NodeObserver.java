package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeVolume;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.diagnosis.ObservedPod;
import io.sei.operator.node.feature.EffectiveNode;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.Overlay;
import io.sei.operator.node.feature.VolumeRisk;
import io.sei.operator.render.SpecHash;
import io.sei.operator.sidecar.SidecarHealth;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Observes a node; never acts.
 *
 * @param volumeRisk what the data volume of a node is at risk of
 * @param sidecarImage the sidecar image that a node's spec results in
 * @param overlays what features lay over it
 */
public record NodeObserver(
    NodeCaches caches,
    BackgroundReads reads,
    BiFunction<SeiNode, Instant, Optional<VolumeRisk>> volumeRisk,
    Function<SeiNode, String> sidecarImage,
    List<? extends Overlay> overlays,
    Clock clock) {

  /**
   * Observes a node whose spec is valid.
   *
   * @param status that of the node, with the steps that are yet to be written
   * @throws io.sei.operator.kube.RefusedException if an object of the node cannot be read
   */
  public NodeView observe(SeiNode declared, SeiNodeStatus status) {
    ResourceID id = ResourceID.fromResource(declared);
    caches.observe(id);
    caches.requireReadable(declared);
    Optional<Pod> cached = caches.pod(declared).map(pod -> ObservedPod.of(pod, status));
    Optional<Pod> pod = cached.map(present -> reads.logs().withWords(id, present));
    Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
    Optional<VolumeRisk> risk = volumeRisk.apply(declared, now);
    Optional<Pod> kept = cached.filter(candidate -> risk.filter(at -> !at.accepted()).isPresent());
    Optional<PersistentVolumeClaim> claim =
        caches.claim(declared).filter(candidate -> isKnown(candidate, status.dataVolume()));
    EffectiveNode effective = EffectiveNode.of(declared, claim, kept, now, overlays);
    SeiNode node = effective.node();
    return new NodeView(
        effective,
        status,
        SpecHash.of(node),
        sidecarImage.apply(node),
        caches.statefulSet(node),
        pod,
        cached.flatMap(present -> reads.logs().halt(id, present)),
        status.phase() == NodePhase.RUNNING ? List.of() : bootstrapPods(id, node),
        claim,
        caches.service(node),
        caches.proxyConfig(node),
        pod.flatMap(running -> health(node, running)),
        reads.peers().resolve(node),
        reads.chains().known(node),
        reads.chains().height(node),
        risk,
        now);
  }

  private List<Pod> bootstrapPods(ResourceID id, SeiNode node) {
    return caches.bootstrapPods(node).stream().map(pod -> reads.logs().withWords(id, pod)).toList();
  }

  /**
   * Until a recreated claim is bound, it is unknown whether it has the node's data, and the records
   * of the data stay. They also stay where the same volume is bound to it, until the record has
   * moved to the new claim.
   */
  private static boolean isKnown(PersistentVolumeClaim claim, NodeVolume last) {
    boolean isAnother =
        last != null
            && last.claimUid() != null
            && !claim.getMetadata().getUid().equals(last.claimUid());
    return !isAnother
        || (claim.getStatus() != null
            && "Bound".equals(claim.getStatus().getPhase())
            && !Objects.equals(claim.getSpec().getVolumeName(), last.name()));
  }

  private Optional<SidecarHealth> health(SeiNode node, Pod pod) {
    return reads.sidecars().health(ResourceID.fromResource(node), pod.getMetadata().getUid());
  }
}
