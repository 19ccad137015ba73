package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.FailedTaskDetail;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.testkit.Cases;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FailedInitTest extends RolloutTestCase {

  static Stream<String> changes() {
    return Cases.of(
        1,
        "{'metadata':{'annotations':{'sei.io/retry':'again'}}}",
        "{'spec':{'overrides':{'mempool.size':'10'}}}",
        "{'spec':{'podLabels':{'team':'x'}}}");
  }

  @ParameterizedTest
  @MethodSource("changes")
  void failedInitPlanIsTriedAgainAfter(String change) {
    sidecarFaults().reject(MARK_READY, "no such task");
    create(spec(A));
    awaitFailed();
    FailedTaskDetail detail = plan().failedTaskDetail();
    assertThat(detail.type()).isEqualTo(MARK_READY);
    assertThat(detail.error()).contains("no such task");
    assertThat(detail.retryCount()).isZero();
    sidecarFaults().clear();
    stays(() -> assertThat(phase()).isEqualTo(NodePhase.FAILED));

    patch(change);

    awaitUpToDate(A);
    eventually(() -> assertThat(occurrences("PlanFailed")).isEqualTo(1));
  }

  @Tag("long")
  @Test
  void retryThatFailsAgainWaitsForAnotherOne() {
    sidecarFaults().reject(MARK_READY, "no such task");
    create(spec(A));
    awaitFailed();
    String first = plan().id();

    annotate("sei.io/retry", "1");
    eventually(
        () -> {
          assertThat(plan().id()).isNotEqualTo(first);
          assertThat(phase()).isEqualTo(NodePhase.FAILED);
        });
    String second = plan().id();
    sidecarFaults().clear();
    operator.restart();
    stays(() -> assertThat(plan().id()).isEqualTo(second));

    annotate("sei.io/retry", "2");
    awaitUpToDate(A);
    assertThat(images()).containsExactly(A);
  }

  private void awaitFailed() {
    eventually(() -> assertThat(phase()).isEqualTo(NodePhase.FAILED));
  }

  private NodePhase phase() {
    return node().getStatus().phase();
  }
}
