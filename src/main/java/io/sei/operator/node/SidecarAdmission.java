package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.PodBaseline;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.diagnosis.NodeFacts;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.render.Names;
import io.sei.operator.render.ProxyAudience;
import io.sei.operator.sidecar.SidecarException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides whether a request may be sent to a pod's address, and with which token. Pods use an
 * address one after the other, and the program that listens there gets what is sent.
 */
final class SidecarAdmission {

  /**
   * A Kubernetes node becomes NotReady when its kubelet has been silent for longer: 40 s by
   * default, 50 s from Kubernetes 1.32 on (node-monitor-grace-period).
   */
  private static final Duration HEARD = Duration.ofSeconds(20);

  /** Which tokens the proxy of a pod accepts. */
  enum Proxy {
    /** Only tokens for the node's own audience. */
    OF_THIS_OPERATOR,
    /** Tokens for the API server: the pod was adopted with the proxy of the Go operator. */
    OF_THE_GO_OPERATOR
  }

  private SidecarAdmission() {}

  /**
   * Returns the reason for which no request may be sent to a pod.
   *
   * @param watching whether pods are watched at this moment
   * @param node the SeiNode that the pod is said to be of
   * @param pod the pod with the uid that is meant
   * @param address the pod's address as far as the caller knows it
   */
  static Optional<SidecarException> objection(
      boolean watching, Optional<SeiNode> node, Optional<Pod> pod, Optional<String> address) {
    if (!watching) {
      return Optional.of(
          new SidecarException(
              SidecarException.Kind.BLIND,
              "no request was sent: the watch of pods is interrupted, and the pod's address may"
                  + " belong to another pod by now; the operator continues when the watch is"
                  + " restored"));
    }
    if (node.isEmpty() || pod.isEmpty()) {
      return Optional.of(
          new SidecarException(SidecarException.Kind.WITHHELD, "the node has no pod"));
    }
    if (!isOwned(node.get(), pod.get())) {
      return Optional.of(
          withheld(pod.get(), "it does not belong to the node's StatefulSet or Job"));
    }
    if (PodFacts.isTerminating(pod.get())) {
      return Optional.of(withheld(pod.get(), "it is being deleted"));
    }
    if (PodFacts.hasEnded(pod.get())) {
      return Optional.of(withheld(pod.get(), "it has ended"));
    }
    // A pod whose sandbox was recreated has another one.
    return address.isPresent() && !address.equals(PodFacts.address(pod.get()))
        ? Optional.of(withheld(pod.get(), "it no longer has the address " + address.get()))
        : Optional.empty();
  }

  /**
   * Returns whether the kubelet has said nothing of the pod for so long that its Kubernetes node
   * may be lost.
   */
  static boolean isKubernetesNodeInDoubt(Pod pod, Instant now) {
    return PodFacts.isReadinessOverruled(pod)
        || PodFacts.lastStart(pod)
            .filter(start -> !start.isAfter(now) && now.isBefore(start.plus(HEARD)))
            .isEmpty();
  }

  /** Why nothing may be sent to a pod on this Kubernetes node. */
  static Optional<SidecarException> objection(Pod pod, NodeFacts kubernetesNode) {
    String doubt =
        switch (kubernetesNode.state()) {
          case READY, LEAVING -> "";
          case SILENT -> "is NotReady";
          case GONE -> "no longer exists";
          // All that is left is whether the control plane contradicts the kubelet.
          case UNREADABLE -> PodFacts.isReadinessOverruled(pod) ? "is probably NotReady" : "";
        };
    return doubt.isEmpty()
        ? Optional.empty()
        : Optional.of(
            withheld(pod, "Kubernetes node %s %s".formatted(kubernetesNode.name(), doubt)));
  }

  /** An objection against a pod. */
  static SidecarException withheld(Pod pod, String why) {
    return new SidecarException(
        SidecarException.Kind.WITHHELD,
        "no request was sent to pod %s: %s".formatted(pod.getMetadata().getName(), why));
  }

  /**
   * Decides which tokens may be sent to the proxy of a pod.
   *
   * @param isTakenOver whether nodes of this namespace are taken over from a Go operator
   * @throws SidecarException if none may
   */
  static Proxy proxy(SeiNode node, Pod pod, boolean isTakenOver) {
    Optional<String> accepted = ProxyAudience.of(pod);
    String audience = audience(node);
    if (accepted.equals(Optional.of(audience))) {
      return Proxy.OF_THIS_OPERATOR;
    }
    boolean hasProxy = PodFacts.image(pod, Names.PROXY).isPresent();
    if (isTakenOver && hasProxy && accepted.isEmpty() && isAdopted(node, pod)) {
      return Proxy.OF_THE_GO_OPERATOR;
    }
    // A restart does not reach the pod of a Job.
    String command =
        PodFacts.isControlledBy(pod, "Job", Names.bootstrapJob(node))
            ? "kubectl sei pause %s -n %s --stop and, once the pod is gone, kubectl sei resume"
            : "kubectl sei restart %s -n %s";
    throw withheld(
        pod,
        "its proxy does not have the argument %s; run: %s"
            .formatted(
                ProxyAudience.flag(audience),
                command.formatted(
                    node.getMetadata().getName(), node.getMetadata().getNamespace())));
  }

  /** Returns the audience of a node, from its identity and from no field of an object. */
  static String audience(SeiNode node) {
    return Names.sidecarAudience(node.getMetadata().getNamespace(), node.getMetadata().getName());
  }

  private static boolean isAdopted(SeiNode node, Pod pod) {
    PodBaseline baseline = NodeView.statusOf(node).podBaseline();
    return baseline != null && pod.getMetadata().getUid().equals(baseline.podUid());
  }

  private static boolean isOwned(SeiNode node, Pod pod) {
    Optional<String> tracked =
        Optional.ofNullable(NodeView.statusOf(node).statefulSet()).map(own -> own.uid());
    Optional<String> owner = PodFacts.ownerUid(pod);
    return owner.isPresent()
        && (owner.equals(tracked) || PodFacts.isControlledBy(pod, "Job", Names.bootstrapJob(node)));
  }
}
