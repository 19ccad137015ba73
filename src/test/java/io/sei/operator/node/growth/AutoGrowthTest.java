package io.sei.operator.node.growth;

import static io.sei.operator.node.Snapshots.node;
import static io.sei.operator.node.Snapshots.pod;
import static io.sei.operator.node.Snapshots.running;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.DataVolume.Storage;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.Snapshots;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.testkit.samples.PodSample;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AutoGrowthTest {

  private static final String IMAGE = "sei:a";

  /** A claim of 2Ti; a crash loop is found for ten minutes after its last crash. */
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // finding, ready, maxSize, decision
        "DISK_FULL, false, 4Ti, Grow[to=2458Gi]",
        "DISK_FULL, false, 2Ti, AtMaximum[]",
        "DISK_FULL, true, 4Ti, -",
        "DISK_FULL, true, 2Ti, -",
        "CRASH_LOOP, false, 4Ti, -",
        "-, false, 4Ti, -",
      })
  void growsOnlyWhereSeidHasDiedOfAFullDiskAndIsNotReady(
      StallReason reason, boolean ready, String maxSize, String expected) {
    SeiNodeStatus status =
        running(IMAGE).withStatefulSet(new StatefulSetRef("node", Snapshots.UID));
    SeiNode node = node(IMAGE);
    var rule = new Storage.AutoGrow(null, new Quantity(maxSize));
    var storage = new Storage(null, null, null, rule);
    node.setSpec(node.getSpec().withDataVolume(new DataVolume(null, null, storage, null, null)));
    node.setStatus(status);
    PodSample pod = PodSample.of(pod(IMAGE)).condition("Ready", ready ? "True" : "False");
    var claim =
        new PersistentVolumeClaimBuilder()
            .withNewMetadata()
            .withName("data-node")
            .withUid("claim")
            .endMetadata()
            .withNewSpec()
            .withNewResources()
            .addToRequests("storage", new Quantity("2Ti"))
            .endResources()
            .endSpec()
            .withNewStatus()
            .withPhase("Bound")
            .addToCapacity("storage", new Quantity("2Ti"))
            .endStatus()
            .build();
    var pass =
        new NodeReconcile(
            Snapshots.snapshot(node, status, Optional.of(pod.build()), null)
                .withClaim(Optional.of(claim)));

    Optional<GrowthDecision> decision =
        AutoGrowth.decision(
            pass, Optional.ofNullable(reason).map(it -> new Finding(it, "seen", "do", false)));

    assertThat(decision.map(GrowthDecision::toString)).isEqualTo(Optional.ofNullable(expected));
  }
}
