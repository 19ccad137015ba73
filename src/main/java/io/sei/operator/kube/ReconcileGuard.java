package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What every reconcile needs from the framework, and what it must be kept from. */
public final class ReconcileGuard {

  private static final Logger log = LoggerFactory.getLogger(ReconcileGuard.class);

  /** The watch brings the newer version within moments; its event ends the wait. */
  private static final Duration AFTER_CONFLICT = Duration.ofMillis(200);

  /** The framework cannot take zero. */
  private static final Duration AT_ONCE = Duration.ofMillis(1);

  private ReconcileGuard() {}

  /**
   * Runs a reconcile, which says when to run again if no event comes first. A conflict makes it run
   * again soon.
   */
  public static <P extends HasMetadata> UpdateControl<P> run(
      Supplier<Optional<Duration>> reconcile) {
    try {
      return control(reconcile.get());
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw e;
      }
      log.debug("Something changed during the reconcile, reading again: {}", e.getMessage());
      return control(Optional.of(AFTER_CONFLICT));
    } catch (Error e) {
      // The framework never again reconciles a resource whose reconcile ended in an Error.
      throw new IllegalStateException("reconcile ended in " + e, e);
    }
  }

  /**
   * Whether an update of a resource concerns its controller: its own status writes do not, but
   * annotations do, which the framework leaves out by default, and a Go operator's writes.
   */
  public static boolean concerns(HasMetadata now, HasMetadata before) {
    return !Objects.equals(now.getMetadata().getGeneration(), before.getMetadata().getGeneration())
        || !Objects.equals(
            now.getMetadata().getAnnotations(), before.getMetadata().getAnnotations())
        || !Objects.equals(now.getMetadata().getFinalizers(), before.getMetadata().getFinalizers())
        || !Objects.equals(
            now.getMetadata().getManagedFields(), before.getMetadata().getManagedFields())
        || now.isMarkedForDeletion();
  }

  private static <P extends HasMetadata> UpdateControl<P> control(Optional<Duration> recheck) {
    UpdateControl<P> control = UpdateControl.noUpdate();
    recheck.ifPresent(
        delay -> control.rescheduleAfter(delay.compareTo(AT_ONCE) < 0 ? AT_ONCE : delay));
    return control;
  }
}
