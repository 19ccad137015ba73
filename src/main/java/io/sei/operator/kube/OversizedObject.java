package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * An object that would be too large with its status. The status cannot say so; an Event, which is
 * an object of its own, does.
 */
public final class OversizedObject {

  /** The reason of the Event. */
  public static final String REASON = "StatusTooLarge";

  private static final Pattern SIZES = Pattern.compile(" \\(\\d+ vs\\. \\d+\\)");

  private OversizedObject() {}

  /**
   * Writes to an object, and says on it if there is no room.
   *
   * @return the object as it was written
   * @throws KubernetesClientException whatever the write threw, for it is tried again
   */
  public static <R extends HasMetadata> R write(R object, EventRecorder events, Supplier<R> write) {
    try {
      return write.get();
    } catch (KubernetesClientException e) {
      if (Refusal.isTooLarge(e)) {
        events.record(object, ObjectEvent.warning(REASON, message(object, e)));
      }
      throw e;
    }
  }

  /** Message without the sizes: one that differs each time would be another Event each time. */
  static String message(HasMetadata object, KubernetesClientException refusal) {
    return ("the status of this %s is too large to store, and the operator waits until it fits:"
            + " make labels, annotations or spec smaller; with its status, where a plan repeats"
            + " parts of the spec, the object must stay below etcd's limit (1.5 MiB by default)."
            + " The API server says: %s")
        .formatted(object.getKind(), SIZES.matcher(Refusal.words(refusal)).replaceAll(""));
  }
}
