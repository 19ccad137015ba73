package io.sei.operator.observability;

import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.api.reconciler.Constants;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReconcileMetricsTest {

  private static final Map<String, Object> NODES = Map.of(Constants.CONTROLLER_NAME, "nodes");

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final ReconcileMetrics metrics =
      new ReconcileMetrics(registry, Clock.fixed(Instant.ofEpochSecond(1_000_000), ZoneOffset.UTC));

  @Test
  void notesTheEndOfAReconcileWithoutCountingAnError() {
    metrics.reconciliationExecutionFinished(null, NODES);

    assertThat(
            registry.get("sei.last.reconcile.seconds").tag("controller", "nodes").gauge().value())
        .isEqualTo(1_000_000);
    assertThat(errors()).isZero();
  }

  @Test
  void countsErrors() {
    metrics.failedReconciliation(null, new IllegalStateException(), NODES);

    assertThat(errors()).isOne();
  }

  private double errors() {
    return registry.get("sei.reconcile.errors").tag("controller", "nodes").counter().count();
  }
}
