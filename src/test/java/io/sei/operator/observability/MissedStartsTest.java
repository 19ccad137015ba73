package io.sei.operator.observability;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.monitoring.AggregatedMetrics;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MissedStartsTest {

  /** Counts as the framework's gauge of reconciles under way does. */
  private static final class UnderWay implements Metrics {
    private int count;

    @Override
    public void reconciliationExecutionStarted(HasMetadata resource, Map<String, Object> metadata) {
      count++;
    }

    @Override
    public void reconciliationExecutionFinished(
        HasMetadata resource, Map<String, Object> metadata) {
      count--;
    }
  }

  private final UnderWay underWay = new UnderWay();
  private final Metrics metrics =
      new AggregatedMetrics(List.of(underWay, new MissedStarts(underWay)));

  @Test
  void aReconcileOfAResourceThatIsGoneLeavesTheCountAsItWas() {
    metrics.reconciliationExecutionFinished(null, Map.of());

    assertThat(underWay.count).isZero();
  }

  @Test
  void anOrdinaryReconcileIsCountedOnce() {
    metrics.reconciliationExecutionStarted(null, Map.of());
    assertThat(underWay.count).isOne();

    metrics.reconciliationExecutionFinished(null, Map.of());
    metrics.reconciliationExecutionFinished(null, Map.of());
    assertThat(underWay.count).isZero();
  }
}
