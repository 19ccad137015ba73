package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.base.Unreadable;
import java.util.List;

/**
 * A request that fails for what it asks, and not for the moment's sake: the API server refuses it,
 * or serves an object that the operator cannot read. The message names the object and has the API
 * server's own words.
 */
public final class RefusedException extends KubernetesClientException {

  private static final long serialVersionUID = 1L;

  private RefusedException(String message) {
    super(message);
  }

  /**
   * A built-in object, or a custom resource.
   *
   * @throws RefusedException if it is a built-in object that cannot be read
   */
  public static <T extends HasMetadata> T ifUnreadable(T object) {
    if (Unreadable.isStub(object) && !(object instanceof CustomResource)) {
      throw unreadable(object);
    }
    return object;
  }

  /** Refuses to continue without an object that the operator needs and cannot read. */
  public static RefusedException unreadable(HasMetadata object) {
    return unreadable(object, Unreadable.of(object));
  }

  /** Names a field that is not part of the object as it is read otherwise. */
  static RefusedException unreadable(HasMetadata object, Unreadable.Field field) {
    return unreadable(object, new Unreadable(List.of(field)));
  }

  private static RefusedException unreadable(HasMetadata object, Unreadable fields) {
    return new RefusedException(
        "%s %s cannot be read: %s"
            .formatted(object.getKind(), object.getMetadata().getName(), fields));
  }

  RefusedException(String message, KubernetesClientException refusal) {
    super(message, refusal.getCode(), refusal.getStatus());
    // The library's constructor that takes a cause takes no answer without its request.
    addSuppressed(refusal);
  }
}
