package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.sei.operator.base.Unreadable;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gate between the framework and every reconcile. Lets reconciles in until it is shut, and then
 * waits for those that are inside.
 *
 * <p>The framework (5.2.3, {@code InformerManager.stop}) empties its caches first and waits for
 * reconciles afterwards. One that looks in between sees a cluster without pods, and writes that
 * down; a fleet would then roll all of its nodes at once, as none of them seems to serve.
 */
public final class ReconcileGate {

  private static final Logger log = LoggerFactory.getLogger(ReconcileGate.class);

  /** The watch brings the newer version within moments; its event ends the wait. */
  private static final Duration AFTER_CONFLICT = Duration.ofMillis(200);

  /** The framework cannot take zero. */
  private static final Duration AT_ONCE = Duration.ofMillis(1);

  private final ReadWriteLock inside = new ReentrantReadWriteLock();
  private final Predicate<String> namespaces;
  private volatile boolean shut;

  /**
   * @param namespaces those whose resources are let in; others are another operator's
   */
  public ReconcileGate(Predicate<String> namespaces) {
    this.namespaces = namespaces;
  }

  /** Returns whether this process manages an object. */
  public boolean admits(HasMetadata object) {
    return namespaces.test(object.getMetadata().getNamespace());
  }

  /**
   * Runs a reconcile, which says when to run again if no event comes first; not at all once the
   * gate is shut. A conflict makes it run again soon.
   *
   * @param isGone whether the resource was deleted in the meantime. Whatever fails then is no
   *     failure: the framework (5.2.3, {@code EventProcessor.handleRetryOnException}) forgets about
   *     a deletion if it has a failed reconcile to try again
   */
  public <P extends HasMetadata> UpdateControl<P> run(
      Supplier<Optional<Duration>> reconcile, BooleanSupplier isGone) {
    if (!inside.readLock().tryLock()) {
      return UpdateControl.noUpdate();
    }
    try {
      return shut ? UpdateControl.noUpdate() : guarded(reconcile, isGone);
    } finally {
      inside.readLock().unlock();
    }
  }

  /** Admits no more reconciles and waits for the running ones, but not longer than this. */
  public void shut(Duration patience) {
    shut = true;
    try {
      if (inside.writeLock().tryLock(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        inside.writeLock().unlock();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static <P extends HasMetadata> UpdateControl<P> guarded(
      Supplier<Optional<Duration>> reconcile, BooleanSupplier isGone) {
    try {
      return control(reconcile.get());
    } catch (RuntimeException e) {
      if (isGone.getAsBoolean()) {
        log.debug("Deleted during the reconcile: {}", e.getMessage());
        return UpdateControl.noUpdate();
      }
      if (!isConflict(e)) {
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
   * Returns whether an update of a resource concerns its controller: its own status writes do not,
   * but annotations do, which the framework leaves out by default, and so does a status that can be
   * read again.
   */
  public static boolean concerns(HasMetadata now, HasMetadata before) {
    return !Objects.equals(now.getMetadata().getGeneration(), before.getMetadata().getGeneration())
        || !Objects.equals(
            now.getMetadata().getAnnotations(), before.getMetadata().getAnnotations())
        || !Objects.equals(now.getMetadata().getFinalizers(), before.getMetadata().getFinalizers())
        || !Unreadable.of(now).equals(Unreadable.of(before))
        || now.isMarkedForDeletion();
  }

  private static boolean isConflict(RuntimeException e) {
    return e instanceof KubernetesClientException refused && ApiErrors.isConflict(refused);
  }

  private static <P extends HasMetadata> UpdateControl<P> control(Optional<Duration> recheck) {
    UpdateControl<P> control = UpdateControl.noUpdate();
    recheck.ifPresent(
        delay -> control.rescheduleAfter(delay.compareTo(AT_ONCE) < 0 ? AT_ONCE : delay));
    return control;
  }
}
