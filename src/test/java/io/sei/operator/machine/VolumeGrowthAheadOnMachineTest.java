package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.ClaimStatuses;
import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Manifests;
import io.sei.operator.testkit.machine.Prometheus;
import io.sei.operator.testkit.machine.SnapshotStorage;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * A volume grows before it is full, by what its driver says to the kubelet, the kubelet to a real
 * Prometheus, and that one to the operator.
 */
@Isolated
@Tag("long")
class VolumeGrowthAheadOnMachineTest extends MachineTestCase {

  private static final String CLAIM = "data-" + NODE;
  private static final String IMAGE = Chain.V1.image();

  /** Writes a file of so many pages of 4 KiB. */
  private static final String WRITE =
      "for ((page = 0; page < %d; page++)); do printf %%04096d 0; done >\"$HOME/%s\"";

  private static final String VOLUME =
      """
        dataVolume:
          storage:
            storageClassName: %s
            resources: {requests: {storage: 64Mi}}
            autoGrow: {usedPercent: 70, maxSize: 128Mi}
      """;

  private Prometheus prometheus;

  @BeforeEach
  void askPrometheus() {
    machine.startSnapshotStorage();
    prometheus = Prometheus.ofKubelet(machine, directory);
    machine.installOperator(
        List.of(
            "config.SEI_PROMETHEUS_URL=" + prometheus.url(), "config.SEI_PROMETHEUS_INTERVAL=1s"));
  }

  @AfterEach
  void askNobodyAgain() {
    prometheus.close();
    machine.installOperator(List.of());
  }

  @Test
  void volumeGrowsAheadOfFullAndTheChainGoesOn() {
    apply(Manifests.node(NODE, IMAGE) + VOLUME.formatted(SnapshotStorage.LIMITED));
    awaitBlocks(IMAGE);
    eventually(
        () ->
            assertThat(metrics())
                .containsPattern(
                    "sei_node_volume_used_ratio\\{[^}]*namespace=\""
                        + namespace
                        + "\"[^}]*\\} 0\\."));
    assertThat(message("DataVolumeResized")).isEqualTo("claim %s has 64Mi".formatted(CLAIM));
    String pod = podUid();

    try (var statuses = new ClaimStatuses(machine.client(), namespace)) {
      write(12 * 1024, "most-of-it");
      eventually(
          () ->
              assertThat(message("DataVolumeResized"))
                  .isEqualTo("claim %s has 128Mi".formatted(CLAIM)));
      eventually(
          () -> assertThat(statuses.said()).isEqualTo(ClaimStatuses.growth("64Mi", "128Mi")));
    }
    eventually(() -> assertThat(capacityByTheKubelet()).isEqualTo(128L << 20));

    write(6 * 1024, "more-than-it-was");
    awaitHeight(POD, awaitHeight(POD, 1) + 3);
    assertThat(condition("Ready")).startsWith("True/");
    assertThat(restarts()).isZero();
    assertThat(podUid()).isEqualTo(pod);
    assertThat(podsEverCreated()).isEqualTo(1);
  }

  private void write(int pages, String file) {
    kubectl("exec", POD, "-c", "seid", "--", "/bin/bash", "-c", WRITE.formatted(pages, file));
  }

  private long capacityByTheKubelet() {
    return prometheus
        .query(
            "kubelet_volume_stats_capacity_bytes{namespace=\"%s\",persistentvolumeclaim=\"%s\"}"
                .formatted(namespace, CLAIM))
        .getFirst()
        .at("/value/1")
        .asLong();
  }
}
