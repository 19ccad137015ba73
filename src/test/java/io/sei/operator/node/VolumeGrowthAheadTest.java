package io.sei.operator.node;

import static io.sei.operator.api.v1alpha1.NodeConditionType.DATA_VOLUME_RESIZED;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.Storage;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.testkit.ClaimStatuses;
import io.sei.operator.testkit.PrometheusSimulator;
import io.sei.operator.testkit.RequestLog.Request;
import io.sei.operator.testkit.TestStorageClass;
import io.sei.operator.testkit.controlplane.ControlPlane;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The volume of a running node grows before it is full, by what Prometheus says. */
class VolumeGrowthAheadTest extends IdentityTestCase {

  private static final String CLAIM = "data-" + NODE;

  private final PrometheusSimulator prometheus = new PrometheusSimulator();

  @Override
  protected void startOperator() {
    operatorAs(controlPlane.config(ControlPlane.OPERATOR)).asking(prometheus).start();
  }

  @AfterEach
  void stop() {
    prometheus.close();
  }

  @Tag("long")
  @Test
  void volumeGrowsAtItsPercentOnceInSixHoursUpToItsMaximum() {
    prometheus.says(namespace, CLAIM, "10Gi", 60);
    try (var storageClass = new TestStorageClass(client, namespace, true)) {
      create(growing(storageClass.name()));
      awaitUpToDate(A);
      String pod = podUid();
      assertNothingIsWrittenWhileItIsAsked();

      try (var statuses = new ClaimStatuses(client, namespace)) {
        prometheus.says(namespace, CLAIM, "10Gi", 85);
        awaitResized(ConditionStatus.TRUE, NodeReason.RESIZED, "claim data-node has 12Gi");
        eventually(
            () -> assertThat(statuses.said()).isEqualTo(ClaimStatuses.growth("10Gi", "12Gi")));
      }
      prometheus.says(namespace, CLAIM, "12Gi", 85);
      assertNothingIsWrittenWhileItIsAsked();

      operator.clock().jumpTo(Duration.ofHours(6));
      awaitAnotherAnswer();
      awaitAnotherLook();
      awaitResized(ConditionStatus.TRUE, NodeReason.RESIZED, "claim data-node has 13Gi");
      prometheus.says(namespace, CLAIM, "13Gi", 85);
      awaitResized(
          ConditionStatus.FALSE,
          NodeReason.MAXIMUM_REACHED,
          "claim data-node has 13Gi, the most that spec.dataVolume.storage.autoGrow allows, and its"
              + " usedPercent is reached; raise its maxSize");
      prometheus.says(namespace, CLAIM, "13Gi", 70, 20_000);
      awaitResized(
          ConditionStatus.TRUE,
          NodeReason.FILLING,
          "claim data-node has 13Gi; at the pace of the last six hours it is full within a week");

      operator.with("SEI_PROMETHEUS_URL", "").restart();
      awaitResized(
          ConditionStatus.FALSE,
          NodeReason.USAGE_UNKNOWN,
          "claim data-node has 13Gi, and grows only once seid has died of a full disk, not at"
              + " spec.dataVolume.storage.autoGrow.usedPercent: the operator has no Prometheus to"
              + " ask; set its SEI_PROMETHEUS_URL, or remove usedPercent");
      assertNeverRestarted(pod);
    }
  }

  private void assertNothingIsWrittenWhileItIsAsked() {
    eventually(() -> assertThat(operator.scrape()).contains("sei_node_volume_used_ratio{"));
    awaitQuiet();
    int written = writes();
    awaitAnotherAnswer();
    assertThat(writes()).isEqualTo(written);
  }

  private void awaitAnotherAnswer() {
    int asked = prometheus.asked();
    eventually(() -> assertThat(prometheus.asked()).isGreaterThan(asked + 5));
  }

  private int writes() {
    return operator.requests().matching(Request::isWrite).size();
  }

  private void awaitResized(ConditionStatus status, NodeReason reason, String message) {
    eventually(
        () -> {
          assertCondition(DATA_VOLUME_RESIZED, status, reason);
          assertThat(condition(DATA_VOLUME_RESIZED).message()).isEqualTo(message);
        });
  }

  private static SeiNodeSpec growing(String storageClass) {
    var size = new Storage.Requests(new Quantity("10Gi"));
    var rule = new Storage.AutoGrow(80, "2Gi", new Quantity("13Gi"));
    var storage = new Storage(storageClass, null, new Storage.Resources(size), rule);
    return spec(A).withDataVolume(new DataVolume(null, null, storage, null, null));
  }
}
