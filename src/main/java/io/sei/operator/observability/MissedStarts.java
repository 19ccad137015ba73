package io.sei.operator.observability;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import java.util.Map;

/**
 * Tells of the start of reconciles that the framework only tells the end of: those of a resource
 * that was gone when its turn came. Without it the count of reconciles under way falls below 0, and
 * stays there.
 */
final class MissedStarts implements Metrics {

  private final Metrics told;
  private final ThreadLocal<Boolean> started = ThreadLocal.withInitial(() -> false);

  /**
   * @param told what counts starts and ends
   */
  MissedStarts(Metrics told) {
    this.told = told;
  }

  @Override
  public void reconciliationExecutionStarted(HasMetadata resource, Map<String, Object> metadata) {
    started.set(true);
  }

  /** Called on the thread that reports the start. */
  @Override
  public void reconciliationExecutionFinished(HasMetadata resource, Map<String, Object> metadata) {
    if (!started.get()) {
      told.reconciliationExecutionStarted(resource, metadata);
    }
    started.remove();
  }
}
