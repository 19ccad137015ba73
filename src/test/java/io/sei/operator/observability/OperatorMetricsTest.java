package io.sei.operator.observability;

import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.api.monitoring.Metrics.ControllerExecution;
import io.javaoperatorsdk.operator.api.reconciler.Constants;
import io.javaoperatorsdk.operator.processing.GroupVersionKind;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Clock;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OperatorMetricsTest {
  private final OperatorMetrics metrics = new OperatorMetrics(Clock.systemUTC());

  @AfterEach
  void tearDown() {
    metrics.close();
  }

  @Test
  void knowsTheJvm() {
    assertThat(metrics.scrape())
        .contains("jvm_memory_used_bytes{")
        .contains("jvm_gc_")
        .contains("jvm_threads_live_threads ")
        .contains("process_cpu_usage ");
  }

  @Test
  void timesReconcilesInFewBucketsAndWithoutTheResource() throws Exception {
    metrics.framework().timeControllerExecution(new Reconcile());

    var series =
        metrics
            .scrape()
            .lines()
            .filter(l -> l.startsWith("operator_sdk_controllers_execution_reconcile_seconds"))
            .toList();
    assertThat(series)
        .filteredOn(l -> l.contains("_bucket{"))
        .extracting(l -> l.replaceAll(".*le=\"([^\"]+)\".*", "$1"))
        .containsExactly("0.005", "0.025", "0.1", "0.5", "2.5", "10.0", "+Inf");
    assertThat(series)
        .anyMatch(l -> l.contains("_count{") && l.contains("controller=\"seinode\""))
        .noneMatch(l -> l.contains("rpc-0"));
  }

  /** The count is wrong as soon as a resource is deleted: see the filter. */
  @Test
  void doesNotCountReconcilesUnderWay() {
    metrics.registry().gauge("operator.sdk.reconciliations.executions.seinode", 1);

    assertThat(metrics.scrape()).doesNotContain("reconciliations_executions");
  }

  private static final class Reconcile implements ControllerExecution<String> {
    @Override
    public String name() {
      return "reconcile";
    }

    @Override
    public String controllerName() {
      return "seinode";
    }

    @Override
    public String successTypeName(String result) {
      return "resource";
    }

    @Override
    public ResourceID resourceID() {
      return new ResourceID("rpc-0", "sei");
    }

    @Override
    public Map<String, Object> metadata() {
      return Map.of(Constants.RESOURCE_GVK_KEY, new GroupVersionKind("", "v1", "ConfigMap"));
    }

    @Override
    public String execute() {
      return "done";
    }
  }
}
