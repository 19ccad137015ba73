package io.sei.operator.node.volume;

import static io.sei.operator.testkit.samples.ClaimSample.aClaim;
import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.VolumeGrowth;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.testkit.samples.ClaimSample;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MountedGrowthTest {

  private static final String IMAGE = "sei:a";

  /** A claim that asks for 4Ti and has 2Ti; seconds since it waits for the file system. */
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // finding, seconds, seid, recorded size, recorded pod, expected pod
        "DISK_FULL, 120, down, -, -, pod-1",
        "DISK_FULL, 119, down, -, -, -",
        "DISK_FULL, -, down, -, -, -",
        "DISK_FULL, 120, runs, -, -, -",
        "CRASH_LOOP, 120, down, -, -, -",
        "-, 120, down, -, -, -",
        "DISK_FULL, 120, down, 4Ti, -, pod-1",
        "DISK_FULL, 120, down, 4Ti, pod-0, pod-0",
        "DISK_FULL, 120, down, 3Ti, pod-0, pod-1",
      })
  void replacesOnePodForEachSizeWhereSeidDoesNotRun(
      StallReason reason, Integer seconds, String seid, String size, String pod, String expected) {
    VolumeGrowth growth = size == null ? null : new VolumeGrowth("claim", "2Ti", size, NOW, pod);
    NodePass pass =
        aNode(IMAGE)
            .running()
            .status(status -> status.withVolumeGrowth(growth))
            .withPod(seid(seid.equals("runs")))
            .claim(claim(seconds))
            .pass();

    MountedGrowth.decide(
        pass, Optional.ofNullable(reason).map(it -> new Finding(it, "seen", "do", false)));

    assertThat(Optional.ofNullable(pass.draft().volumeGrowth()).map(VolumeGrowth::replacedPod))
        .isEqualTo(Optional.ofNullable(expected));
  }

  private static Pod seid(boolean runs) {
    return aPod(aNode(IMAGE))
        .status(
            "seid",
            it -> {
              if (runs) {
                it.running();
              } else {
                it.waiting("CrashLoopBackOff");
              }
            })
        .build();
  }

  private static ClaimSample claim(Integer seconds) {
    ClaimSample claim = aClaim().requests("4Ti").capacity("2Ti");
    return seconds == null
        ? claim
        : claim.condition("FileSystemResizePending", null, NOW.minusSeconds(seconds));
  }
}
