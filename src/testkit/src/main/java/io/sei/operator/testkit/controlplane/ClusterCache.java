package io.sei.operator.testkit.controlplane;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Objects of all namespaces, by a watch of each kind. Tests that wait read it many times a second;
 * read live, they would ask more of the API server than the operator does. It may be behind, so a
 * live read has to confirm it, and it is no proof.
 */
public final class ClusterCache implements AutoCloseable {

  private final KubernetesClient client;
  private final Map<Class<? extends HasMetadata>, SharedIndexInformer<?>> informers =
      new ConcurrentHashMap<>();

  ClusterCache(KubernetesClient client) {
    this.client = client;
  }

  /** The object of this name; null if there is none. Not a copy: it must not be changed. */
  public <T extends HasMetadata> T get(Class<T> type, String namespace, String name) {
    return informer(type).getStore().getByKey(Cache.namespaceKeyFunc(namespace, name));
  }

  /** The objects of a namespace, sorted by name as a list of the API server is. */
  public <T extends HasMetadata> List<T> list(Class<T> type, String namespace) {
    return informer(type).getIndexer().byIndex(Cache.NAMESPACE_INDEX, namespace).stream()
        .sorted((a, b) -> a.getMetadata().getName().compareTo(b.getMetadata().getName()))
        .toList();
  }

  @SuppressWarnings("unchecked")
  private <T extends HasMetadata> SharedIndexInformer<T> informer(Class<T> type) {
    return (SharedIndexInformer<T>)
        informers.computeIfAbsent(
            type, informer -> client.resources(type).inAnyNamespace().inform());
  }

  @Override
  public void close() {
    informers.values().forEach(SharedIndexInformer::stop);
  }
}
