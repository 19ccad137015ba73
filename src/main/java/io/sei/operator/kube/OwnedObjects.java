package io.sei.operator.kube;

import static io.sei.operator.kube.ApiErrors.isConflict;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * Keeps objects that a resource owns as rendered. One with its name that is not the resource's is
 * named, not seized.
 *
 * @param label key of the label by which an object without an owner is the resource's of the name
 *     that is its value
 */
public record OwnedObjects(KubeApi api, Applier applier, String label) {

  /** Result of applying an object. */
  public sealed interface Outcome {

    /** The object is as rendered. */
    record Ready() implements Outcome {}

    /** The object is being deleted; it can be recreated afterwards. */
    record Terminating(HasMetadata rendered) implements Outcome {}

    /** The object changed since it was read. */
    record Changed(HasMetadata rendered) implements Outcome {}

    /**
     * The object belongs to another owner and was not touched.
     *
     * @param owner whose it is, in words
     */
    record Foreign(HasMetadata rendered, String owner) implements Outcome {}
  }

  /**
   * Applies what is rendered from a resource alone; see {@link #sync(HasMetadata, Intent, Supplier,
   * Optional, BiConsumer, BiConsumer)}.
   */
  public <T extends HasMetadata> Outcome sync(
      HasMetadata resource,
      Supplier<T> rendering,
      Optional<T> cached,
      BiConsumer<T, Optional<T>> remember) {
    var intent = Intent.of(resource);
    return sync(resource, intent, rendering, cached, (live, rendered) -> {}, remember);
  }

  /**
   * Applies what is rendered unless the object is so already, or has another owner.
   *
   * @param intent all that the rendering depends on
   * @param rendering asked only if the intent or the object has changed
   * @param cached the object as watched; where there is none it is read live
   * @param adopt is given the live object and its rendering before that is applied to it
   * @param remember is given what was written, and the object before
   * @throws KubernetesClientException if the API server refuses the object
   */
  public <T extends HasMetadata> Outcome sync(
      HasMetadata resource,
      Intent intent,
      Supplier<T> rendering,
      Optional<T> cached,
      BiConsumer<T, T> adopt,
      BiConsumer<T, Optional<T>> remember) {
    boolean inSync =
        cached
            .filter(object -> !object.isMarkedForDeletion())
            .filter(object -> applier.isClean(intent, object))
            .isPresent();
    if (inSync) {
      return new Outcome.Ready();
    }
    T rendered = rendering.get();
    Optional<T> live = cached.or(() -> read(rendered));
    if (live.isPresent() && live.get().isMarkedForDeletion()) {
      return new Outcome.Terminating(rendered);
    }
    Optional<String> stranger = live.flatMap(object -> stranger(resource, object));
    if (stranger.isPresent()) {
      return new Outcome.Foreign(rendered, stranger.get());
    }
    if (live.filter(object -> isLost(object, rendered, resource)).isPresent()
        && api.isGoing(resource)) {
      return new Outcome.Changed(rendered);
    }
    live.ifPresent(object -> adopt.accept(object, rendered));
    try {
      Applier.Applied<T> applied = applier.apply(intent, rendered, live);
      if (applied.changed()) {
        remember.accept(applied.object(), live);
      }
      return new Outcome.Ready();
    } catch (KubernetesClientException e) {
      if (isConflict(e)) {
        return new Outcome.Changed(rendered);
      }
      throw e;
    }
  }

  @SuppressWarnings("unchecked")
  private <T extends HasMetadata> Optional<T> read(T rendered) {
    return api.get(
        (Class<T>) rendered.getClass(),
        rendered.getMetadata().getNamespace(),
        rendered.getMetadata().getName());
  }

  /** Returns whether an object has no owner and is to have the resource for one. */
  private static boolean isLost(HasMetadata live, HasMetadata rendered, HasMetadata resource) {
    return Ownership.of(live, resource) instanceof Ownership.Unowned
        && Ownership.isOurs(rendered, resource);
  }

  private Optional<String> stranger(HasMetadata resource, HasMetadata object) {
    String name = resource.getMetadata().getName();
    Map<String, String> labels = object.getMetadata().getLabels();
    boolean labelled = labels != null && name.equals(labels.get(label));
    return switch (Ownership.of(object, resource)) {
      case Ownership.Foreign foreign -> Optional.of(foreign.owner());
      case Ownership.Ours _ -> Optional.empty();
      case Ownership.Unowned _ ->
          labelled
              ? Optional.empty()
              : Optional.of("no owner and lacks the label %s=%s".formatted(label, name));
    };
  }
}
