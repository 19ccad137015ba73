package io.sei.operator.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/**
 * Lets reconciles in until it is shut, and then waits for those that are inside.
 *
 * <p>The framework (5.2.3, {@code InformerManager.stop}) empties its caches first and waits for
 * reconciles afterwards. One that looks in between sees a cluster without pods, and writes that
 * down; a fleet would then roll all of its nodes at once, as none of them seems to serve.
 */
public final class ReconcileGate {

  private final ReadWriteLock inside = new ReentrantReadWriteLock();
  private volatile boolean shut;

  /** Runs a reconcile as {@link ReconcileGuard#run} does, or not at all once the gate is shut. */
  public <P extends HasMetadata> UpdateControl<P> run(Supplier<Optional<Duration>> reconcile) {
    if (!inside.readLock().tryLock()) {
      return UpdateControl.noUpdate();
    }
    try {
      return shut ? UpdateControl.noUpdate() : ReconcileGuard.run(reconcile);
    } finally {
      inside.readLock().unlock();
    }
  }

  /** Lets nobody in any more and waits until nobody is inside, but not longer than this. */
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
}
