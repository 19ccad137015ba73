package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.javaoperatorsdk.operator.processing.event.Event;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import java.util.Optional;
import java.util.Set;

/**
 * Watches of the claims that nodes import, each by its name: such a claim does not carry the label
 * that all other claims are watched by.
 */
final class ImportedClaims extends AbstractEventSource<Void, SeiNode> {

  private record Watched(String claim, SharedIndexInformer<PersistentVolumeClaim> informer) {}

  private final KubernetesClient client;
  private final PerObjectMap<ResourceID, Watched> watched;

  ImportedClaims(KubernetesClient client, PerObjectState<ResourceID> memory) {
    super(Void.class, "imported-claims");
    this.client = client;
    this.watched = memory.newMap(watch -> watch.informer().stop());
  }

  /** The claim that a node imports, watched from now on; empty while there is none. */
  Optional<PersistentVolumeClaim> claim(SeiNode node, String claim) {
    ResourceID id = ResourceID.fromResource(node);
    Watched watch =
        watched
            .compute(
                id,
                before ->
                    before != null && before.claim().equals(claim)
                        ? before
                        : new Watched(claim, start(id, claim)))
            .orElseThrow();
    String namespace = id.getNamespace().orElseThrow();
    return isWatching(watch)
        ? Optional.ofNullable(watch.informer().getIndexer().getByKey(namespace + "/" + claim))
        : Optional.ofNullable(
            client.persistentVolumeClaims().inNamespace(namespace).withName(claim).get());
  }

  /** Returns whether changes of the claim that a node imports are heard of at this moment. */
  boolean isWatching(SeiNode node) {
    return watched
        .get(ResourceID.fromResource(node))
        .filter(ImportedClaims::isWatching)
        .isPresent();
  }

  private static boolean isWatching(Watched watch) {
    return watch.informer().hasSynced() && watch.informer().isWatching();
  }

  private SharedIndexInformer<PersistentVolumeClaim> start(ResourceID node, String claim) {
    SharedIndexInformer<PersistentVolumeClaim> informer =
        client
            .persistentVolumeClaims()
            .inNamespace(node.getNamespace().orElseThrow())
            .withName(claim)
            .runnableInformer(0)
            .exceptionHandler((started, error) -> true);
    informer.addEventHandler(
        new ResourceEventHandler<>() {
          @Override
          public void onAdd(PersistentVolumeClaim added) {
            wake(node);
          }

          @Override
          public void onUpdate(PersistentVolumeClaim before, PersistentVolumeClaim after) {
            if (UpdatePredicate.of(before, after)) {
              wake(node);
            }
          }

          @Override
          public void onDelete(PersistentVolumeClaim deleted, boolean unknown) {
            wake(node);
          }
        });
    informer.start();
    return informer;
  }

  private void wake(ResourceID node) {
    if (isRunning()) {
      getEventHandler().handleEvent(new Event(node));
    }
  }

  @Override
  public Set<Void> getSecondaryResources(SeiNode node) {
    return Set.of();
  }

  @Override
  public void stop() {
    super.stop();
    watched.clear();
  }
}
