package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.keys.KeyHolders;
import io.sei.operator.keys.KeyUse;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.render.KeyMaterial;
import java.time.Duration;
import java.util.Optional;

/**
 * Keeps a second node from signing with a key. Every way to a pod leads past it: a plan, resuming
 * from a pause, and a StatefulSet that somebody deleted. A node that holds the key is never held
 * up.
 */
public final class SigningKeyGuard {

  /** Nothing announces that another node's pod is gone. */
  private static final Duration IN_USE_RECHECK = Duration.ofSeconds(5);

  private static final Duration CONTENDED_RECHECK = Duration.ofSeconds(1);

  private final KubeApi api;

  public SigningKeyGuard(KubeApi api) {
    this.api = api;
  }

  /** Whether the node may have a pod with its signing key, if it has one. */
  public SyncResult check(NodeWork work) {
    Optional<String> secret = KeyMaterial.of(work.node().getSpec()).signingKey();
    boolean free =
        secret.isEmpty()
            || work.snapshot().isPaused()
            || work.statefulSet().filter(own -> KeyHolders.holds(own, secret.get())).isPresent();
    return free ? new SyncResult.Ready() : claim(work, secret.get());
  }

  private SyncResult claim(NodeWork work, String secret) {
    KeyUse use = KeyHolders.decide(work.node(), secret, sighting(work.namespace()));
    if (use instanceof KeyUse.InUse taken) {
      condition(work, ConditionStatus.FALSE, NodeReason.IN_USE, taken.message());
      return new SyncResult.Blocked(NodeReason.IN_USE.toString(), taken.message(), IN_USE_RECHECK);
    }
    if (use instanceof KeyUse.Unclaimed) {
      condition(
          work,
          ConditionStatus.TRUE,
          NodeReason.SIGNING_KEY_VALIDATED,
          "Secret " + secret + " is this node's to use");
      return new SyncResult.Persist();
    }
    return use instanceof KeyUse.Contended contended
        ? new SyncResult.Blocked(
            NodeReason.IN_USE.toString(), contended.message(), CONTENDED_RECHECK)
        : new SyncResult.Ready();
  }

  private KeyHolders.Sighting sighting(String namespace) {
    return new KeyHolders.Sighting(
        api.list(SeiNode.class, namespace),
        api.list(StatefulSet.class, namespace),
        api.list(Pod.class, namespace));
  }

  private static void condition(
      NodeWork work, ConditionStatus status, NodeReason reason, String message) {
    work.condition(NodeConditionType.SIGNING_KEY_READY, status, reason, message);
  }
}
