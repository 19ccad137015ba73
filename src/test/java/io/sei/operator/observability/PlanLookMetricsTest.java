package io.sei.operator.observability;

import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.api.reconciler.Constants;
import io.javaoperatorsdk.operator.processing.GroupVersionKind;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatusBuilder;
import io.sei.operator.api.v1alpha1.TaskPlanBuilder;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PlanLookMetricsTest {

  private static final Map<String, Object> NODES =
      Map.of(Constants.RESOURCE_GVK_KEY, new GroupVersionKind("sei.io", "v1alpha1", "SeiNode"));
  private static final Map<String, Object> FLEETS =
      Map.of(
          Constants.RESOURCE_GVK_KEY,
          new GroupVersionKind("sei.io", "v1alpha1", "SeiNodeDeployment"));

  private final ReconcileMetrics metrics =
      new ReconcileMetrics(
          new SimpleMeterRegistry(), Clock.fixed(Instant.ofEpochSecond(1_000_000), ZoneOffset.UTC));
  private final StateMetrics state = new StateMetrics(metrics);
  private final SeiNode node = new SeiNode();

  PlanLookMetricsTest() {
    node.getMetadata().setNamespace("sei");
    node.getMetadata().setName("rpc-0");
    state.ofNodes(() -> Stream.of(node), any -> true);
    plan(PlanPhase.ACTIVE);
  }

  @Test
  void tellsWhenAPlanUnderWayWasLookedAt() {
    metrics.finishedReconciliation(node, NODES);

    assertThat(series()).hasSize(1);
    assertThat(series().get(0).getValue()).isEqualTo(1_000_000);
    assertThat((Object) series().get(0).getLabels())
        .isEqualTo(Labels.of("namespace", "sei", "name", "rpc-0", "kind", "SeiNode"));
  }

  @Test
  void aReplicaThatStandsByTellsNothing() {
    assertThat(series()).isEmpty();
  }

  @Test
  void aReconcileThatFailedHasNotLooked() {
    metrics.failedReconciliation(node, new IllegalStateException(), NODES);
    metrics.reconciliationExecutionFinished(node, NODES);

    assertThat(series()).isEmpty();
  }

  @Test
  void anObjectOfAnotherKindIsAnotherOne() {
    metrics.finishedReconciliation(node, FLEETS);

    assertThat(series()).isEmpty();
  }

  @Test
  void theSeriesGoesWithThePlanAndTheMemoryWithTheObject() {
    metrics.finishedReconciliation(node, NODES);
    plan(PlanPhase.FAILED);
    assertThat(series()).isEmpty();

    plan(PlanPhase.ACTIVE);
    metrics.cleanupDoneFor(ResourceID.fromResource(node), NODES);
    assertThat(series()).isEmpty();
  }

  private void plan(PlanPhase phase) {
    node.setStatus(
        SeiNodeStatusBuilder.builder()
            .plan(TaskPlanBuilder.builder().phase(phase).tasks(List.of()).build())
            .build());
  }

  private List<GaugeDataPointSnapshot> series() {
    return state.collect().stream()
        .filter(snapshot -> snapshot.getMetadata().getName().equals("sei_plan_last_looked_seconds"))
        .flatMap(snapshot -> ((GaugeSnapshot) snapshot).getDataPoints().stream())
        .toList();
  }
}
