package io.sei.operator.node.growth;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.api.v1alpha1.VolumeGrowth;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Duration;
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
    SeiNodeStatus status =
        aNode(IMAGE)
            .running()
            .status()
            .with(
                it ->
                    it.statefulSet(new StatefulSetRef("node", NodeSample.STATEFUL_SET_UID))
                        .volumeGrowth(
                            size == null
                                ? null
                                : new VolumeGrowth("claim", "2Ti", size, NOW, pod)));
    SeiNode node = aNode(IMAGE).status(status).build();
    var pass =
        aNode(node).status(status).withPod(seid(seid.equals("runs"))).claim(claim(seconds)).pass();

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

  private static PersistentVolumeClaim claim(Integer seconds) {
    var claim =
        new PersistentVolumeClaimBuilder()
            .withNewMetadata()
            .withName("data-node")
            .withUid("claim")
            .endMetadata()
            .withNewSpec()
            .withNewResources()
            .addToRequests("storage", new Quantity("4Ti"))
            .endResources()
            .endSpec()
            .withNewStatus()
            .withPhase("Bound")
            .addToCapacity("storage", new Quantity("2Ti"))
            .endStatus();
    return seconds == null
        ? claim.build()
        : claim
            .editStatus()
            .addNewCondition()
            .withType("FileSystemResizePending")
            .withStatus("True")
            .withLastTransitionTime(NOW.minus(Duration.ofSeconds(seconds)).toString())
            .endCondition()
            .endStatus()
            .build();
  }
}
