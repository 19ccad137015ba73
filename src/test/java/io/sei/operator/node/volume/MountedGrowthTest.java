package io.sei.operator.node.volume;

import static io.sei.operator.testkit.samples.ClaimSample.aClaim;
import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.OfflineNode;
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
        // finding, seconds, seid, seconds since the pod was created, replaced
        "DISK_FULL, 120, down, 900, true",
        "DISK_FULL, 119, down, 900, false",
        "DISK_FULL, -, down, 900, false",
        "DISK_FULL, 120, runs, 900, false",
        "CRASH_LOOP, 120, down, 900, false",
        "-, 120, down, 900, false",
        // The same second has no order.
        "DISK_FULL, 130, down, 130, true",
        "DISK_FULL, 130, down, 129, false",
      })
  void replacesThePodThatHadTheVolumeBeforeItGrewWhereSeidDoesNotRun(
      StallReason reason, Integer seconds, String seid, int age, boolean isReplaced) {
    NodePass pass =
        aNode(IMAGE).running().withPod(pod(seid.equals("runs"), age)).claim(claim(seconds)).pass();
    var growth = new AutoGrowth(OfflineNode.usagePoller(), new PerObjectState<>());

    growth.observe(
        pass, Optional.ofNullable(reason).map(any -> new Finding(any, "seen", "do", false)));

    assertThat(new MountedGrowth(growth, null, null).toReplace(pass).isPresent())
        .isEqualTo(isReplaced);
  }

  private static Pod pod(boolean runs, int age) {
    return aPod(aNode(IMAGE))
        .edit(
            pod ->
                pod.editMetadata()
                    .withCreationTimestamp(NOW.minusSeconds(age).toString())
                    .endMetadata())
        .status(
            "seid",
            sample -> {
              if (runs) {
                sample.running();
              } else {
                sample.waiting("CrashLoopBackOff");
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
