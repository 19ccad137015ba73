package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.diagnosis.NodeFacts;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.sidecar.SidecarAccess;
import io.sei.operator.sidecar.SidecarAddress;
import io.sei.operator.sidecar.SidecarException;
import java.time.Clock;
import java.util.Optional;
import java.util.function.Predicate;

/** Judges requests to sidecars by the pods in the caches and the Kubernetes nodes they are on. */
public final class PodAccess implements SidecarAccess {

  private record Target(SeiNode node, Pod pod) {}

  private final KubernetesNodes kubernetesNodes;
  private final Optional<SidecarCredentials> credentials;
  private final Clock clock;
  private volatile NodeCaches caches;

  /**
   * Refuses every request before {@link #judgeBy}.
   *
   * @param credentials empty where sidecars are called without a token
   */
  public PodAccess(
      KubernetesNodes kubernetesNodes, Optional<SidecarCredentials> credentials, Clock clock) {
    this.kubernetesNodes = kubernetesNodes;
    this.credentials = credentials;
    this.clock = clock;
  }

  /** Judges by these caches from now on. */
  public void judgeBy(NodeCaches filled) {
    caches = filled;
  }

  @Override
  public Optional<String> token(SidecarAddress sidecar) {
    Target target = checked(sidecar);
    Pod pod = target.pod();
    Optional<String> inDoubt =
        PodFacts.nodeName(pod)
            .filter(name -> SidecarAdmission.isKubernetesNodeInDoubt(pod, clock.instant()));
    if (inDoubt.isPresent()) {
      refuse(SidecarAdmission.objection(pod, kubernetesNode(pod, inDoubt.get())));
    }
    return credentials.map(known -> known.token(target.node(), pod));
  }

  @Override
  public void rejected(String token) {
    credentials.ifPresent(known -> known.rejected(token));
  }

  @Override
  public void check(SidecarAddress sidecar) {
    Pod pod = checked(sidecar).pod();
    boolean lost =
        PodFacts.isReadinessOverruled(pod)
            && PodFacts.nodeName(pod).filter(kubernetesNodes::wasLost).isPresent();
    if (lost) {
      throw SidecarAdmission.withheld(pod, "its Kubernetes node is lost");
    }
  }

  private Target checked(SidecarAddress sidecar) {
    NodeCaches known = caches;
    boolean watching = known != null && known.isWatchingPods(sidecar.namespace());
    Optional<SeiNode> node =
        watching
            ? known.node(new ResourceID(sidecar.nodeName(), sidecar.namespace()))
            : Optional.empty();
    Optional<Pod> pod = node.flatMap(of -> pod(known, of, sidecar));
    refuse(SidecarAdmission.objection(watching, node, pod, sidecar.podIp()));
    return new Target(node.orElseThrow(), pod.orElseThrow());
  }

  private static Optional<Pod> pod(NodeCaches caches, SeiNode node, SidecarAddress sidecar) {
    Predicate<Pod> isMeant =
        pod -> sidecar.podUid().equals(Optional.of(pod.getMetadata().getUid()));
    return caches
        .pod(node)
        .filter(isMeant)
        .or(() -> caches.bootstrapPods(node).stream().filter(isMeant).findFirst());
  }

  private NodeFacts kubernetesNode(Pod pod, String name) {
    try {
      return kubernetesNodes.of(name);
    } catch (KubernetesClientException e) {
      throw SidecarAdmission.withheld(
          pod, "cannot read Kubernetes node %s: %s".formatted(name, e.getMessage()));
    }
  }

  private static void refuse(Optional<SidecarException> objection) {
    if (objection.isPresent()) {
      throw objection.get();
    }
  }
}
