package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.Applier;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.Ownership;
import io.sei.operator.kube.SettledObjects;
import io.sei.operator.render.Labels;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Keeps a node's Service or ConfigMap as rendered. An object with its name that is not the node's
 * is named, not seized.
 */
public final class OwnedObjectSync {

  private static final Duration CONFLICT_RECHECK = Duration.ofSeconds(30);
  private static final Duration RACE_RECHECK = Duration.ofSeconds(1);

  private final KubeApi api;
  private final Applier applier;
  private final NodeCaches caches;
  private final SettledObjects settled;

  public OwnedObjectSync(KubeApi api, Applier applier, NodeCaches caches, SettledObjects settled) {
    this.api = api;
    this.applier = applier;
    this.caches = caches;
    this.settled = settled;
  }

  /** Applies what is rendered unless the object is so already, or somebody else's. */
  public <T extends HasMetadata> SyncResult sync(
      NodeWork work, Function<SeiNode, T> renderer, Optional<T> cached) {
    var owner = ResourceID.fromResource(work.node());
    var intent = SettledObjects.Intent.of(work.node());
    if (cached.filter(object -> !object.isMarkedForDeletion()).isPresent()
        && settled.contains(owner, intent, cached.get())) {
      return new SyncResult.Ready();
    }
    return sync(
        work, renderer.apply(work.node()), cached, object -> settled.add(owner, intent, object));
  }

  @SuppressWarnings("unchecked")
  private <T extends HasMetadata> SyncResult sync(
      NodeWork work, T rendered, Optional<T> cached, Consumer<T> inSync) {
    String name = rendered.getMetadata().getName();
    String what = rendered.getKind() + " " + name;
    Optional<T> live =
        cached.or(() -> api.get((Class<T>) rendered.getClass(), work.namespace(), name));
    if (live.isPresent() && live.get().isMarkedForDeletion()) {
      return new SyncResult.Blocked(
          rendered.getKind() + "Terminating", what + " is being deleted", RACE_RECHECK);
    }
    Optional<String> stranger = live.flatMap(object -> stranger(work, object));
    if (stranger.isPresent()) {
      String message = what + " belongs to " + stranger.get();
      work.obstacle(message);
      return new SyncResult.Blocked(NodeReason.CONFLICT.toString(), message, CONFLICT_RECHECK);
    }
    try {
      Applier.Applied<T> applied = applier.apply(rendered, live);
      if (applied.written()) {
        caches.remember(applied.object(), live);
      } else {
        inSync.accept(applied.object());
      }
      return new SyncResult.Ready();
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return new SyncResult.Blocked(
            rendered.getKind() + "Changed", what + " changed meanwhile", RACE_RECHECK);
      }
      throw e;
    }
  }

  private static Optional<String> stranger(NodeWork work, HasMetadata object) {
    Ownership ownership = Ownership.of(object, work.node());
    if (ownership instanceof Ownership.Foreign foreign) {
      return Optional.of(foreign.owner());
    }
    Map<String, String> labels = object.getMetadata().getLabels();
    boolean ours =
        ownership instanceof Ownership.Ours
            || (labels != null && work.name().equals(labels.get(Labels.NODE)));
    return ours ? Optional.empty() : Optional.of("nobody, but is not labelled as this node's");
  }
}
