package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.informers.cache.BasicItemStore;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The store of a watch that keeps some of what it hears of: without memory for the objects that
 * another operator manages.
 */
public final class OwnItems<T extends HasMetadata> extends BasicItemStore<T> {

  private final Predicate<HasMetadata> isOwn;

  OwnItems(Predicate<HasMetadata> isOwn) {
    super(Cache::metaNamespaceKeyFunc);
    this.isOwn = isOwn;
  }

  /** Has a watch keep what is own only, where it may have a store of its own. */
  public static <T extends HasMetadata> InformerEventSourceConfiguration.Builder<T> kept(
      InformerEventSourceConfiguration.Builder<T> watch,
      EventSourceContext<?> context,
      Predicate<HasMetadata> isOwn) {
    return mayHaveStore(context) ? watch.withItemStore(new OwnItems<>(isOwn)) : watch;
  }

  /**
   * Returns whether a watch may have a store of its own: the informers of several namespaces would
   * share it, and each would take out of it what is not in its own namespace.
   */
  public static boolean mayHaveStore(EventSourceContext<?> context) {
    return context.getControllerConfiguration().getInformerConfig().getNamespaces().size() <= 1;
  }

  /**
   * Makes an object that was just written readable at once, before its watch event arrives.
   *
   * @param before the object that was written to; empty if it was created
   */
  public static <T extends HasMetadata> void remember(
      InformerEventSource<T, ?> source, T written, Optional<T> before) {
    ResourceID id = ResourceID.fromResource(written);
    if (before.isPresent()) {
      source.handleRecentResourceUpdate(id, written, before.get());
    } else {
      source.handleRecentResourceCreate(id, written);
    }
  }

  @Override
  public T put(String key, T object) {
    return isOwn.test(object) ? super.put(key, object) : null;
  }
}
