package io.sei.operator.node.resources;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.OwnedObjects;
import io.sei.operator.kube.OwnedObjects.Outcome;
import io.sei.operator.node.model.NodeCaches;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.SyncResult;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/** Keeps a node's Service or ConfigMap as rendered, and notes what is in the way. */
public final class OwnedObjectSync {

  private static final Duration CONFLICT_RECHECK = Duration.ofSeconds(30);
  private static final Duration RACE_RECHECK = Duration.ofSeconds(1);

  private final OwnedObjects objects;
  private final NodeCaches caches;

  public OwnedObjectSync(OwnedObjects objects, NodeCaches caches) {
    this.objects = objects;
    this.caches = caches;
  }

  /** Applies what is rendered unless the object is so already, or somebody else's. */
  public <T extends HasMetadata> SyncResult sync(
      NodeReconcile reconcile, Function<SeiNode, T> renderer, Optional<T> cached) {
    Outcome outcome =
        objects.sync(
            reconcile.node(), () -> renderer.apply(reconcile.node()), cached, caches::remember);
    if (outcome instanceof Outcome.Foreign foreign) {
      String message = name(foreign.rendered()) + " belongs to " + foreign.owner();
      reconcile.obstacle(message);
      return new SyncResult.Blocked(NodeReason.CONFLICT.toString(), message, CONFLICT_RECHECK);
    }
    if (outcome instanceof Outcome.Terminating terminating) {
      HasMetadata object = terminating.rendered();
      return new SyncResult.Blocked(
          object.getKind() + "Terminating", name(object) + " is being deleted", RACE_RECHECK);
    }
    if (outcome instanceof Outcome.Changed changed) {
      HasMetadata object = changed.rendered();
      return new SyncResult.Blocked(
          object.getKind() + "Changed", name(object) + " changed meanwhile", RACE_RECHECK);
    }
    return new SyncResult.Ready();
  }

  private static String name(HasMetadata object) {
    return object.getKind() + " " + object.getMetadata().getName();
  }
}
