package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.javaoperatorsdk.operator.api.config.Cloner;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Copies what a reconcile gets from the cache. Specs and statuses of custom resources are records,
 * which are immutable, so a copy shares them and has metadata of its own. The framework's own
 * cloner writes each object as JSON and reads it again, for every reconcile.
 */
public final class SharedRecords implements Cloner {

  private final Map<Class<?>, Supplier<? extends CustomResource<?, ?>>> kinds;
  private final KubernetesSerialization serialization;

  /**
   * @param kinds constructors of the custom resources
   * @param serialization copies all others
   */
  public SharedRecords(
      List<Supplier<? extends CustomResource<?, ?>>> kinds, KubernetesSerialization serialization) {
    this.kinds =
        kinds.stream()
            .collect(Collectors.toMap(supplier -> supplier.get().getClass(), Function.identity()));
    this.serialization = serialization;
  }

  @Override
  @SuppressWarnings("unchecked")
  public <T extends HasMetadata> T clone(T object) {
    var constructor = kinds.get(object.getClass());
    return constructor == null
        ? serialization.clone(object)
        : (T) copy((CustomResource<?, ?>) object, constructor.get());
  }

  @SuppressWarnings("unchecked")
  private static <S, U> CustomResource<S, U> copy(
      CustomResource<S, U> from, CustomResource<?, ?> empty) {
    var copy = (CustomResource<S, U>) empty;
    copy.setMetadata(new ObjectMetaBuilder(from.getMetadata()).build());
    copy.setSpec(from.getSpec());
    copy.setStatus(from.getStatus());
    return copy;
  }
}
