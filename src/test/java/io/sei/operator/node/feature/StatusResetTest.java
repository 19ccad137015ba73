package io.sei.operator.node.feature;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeVolume;
import io.sei.operator.api.v1alpha1.PodBaseline;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Fields of a node's status that remain when it starts over. */
class StatusResetTest {

  private static final String A = "sei:a";

  private static final Pod POD = aPod(aNode(A)).build();

  private static final SeiNodeStatus RUNNING =
      aNode(A)
          .running()
          .status()
          .with(
              builder ->
                  builder
                      .phaseTransitionTime(Instant.EPOCH)
                      .podBaseline(new PodBaseline(POD.getMetadata().getUid(), "v1:0"))
                      .dataClaimUid("claim")
                      .dataVolume(new NodeVolume("claim", "pv-1", "disk-1", null, null))
                      .signingPublicKey("key")
                      .syncedAt(Instant.EPOCH));

  /** A fleet counts a node with a baseline as one that has been Ready on its volume. */
  @Test
  void theBaselineOfAPodThatIsGoneGoesWithItsVolume() {
    assertThat(startedOver(Optional.empty()).podBaseline()).isNull();
    assertThat(startedOver(Optional.of(POD)).podBaseline()).isEqualTo(RUNNING.podBaseline());
  }

  @Test
  void anotherVolumeHasNothingOfTheFirst() {
    SeiNodeStatus status = startedOver(Optional.empty());

    assertThat(status.phase()).isEqualTo(NodePhase.PENDING);
    assertThat(status.syncedAt()).isNull();
    assertThat(status.dataClaimUid()).isNull();
    assertThat(status.dataVolume()).isNull();
    assertThat(status.currentImage()).isNull();
    assertThat(status.statefulSet()).isEqualTo(RUNNING.statefulSet());
    assertThat(status.signingPublicKey()).isEqualTo("key");
    assertThat(status.phaseTransitionTime()).isEqualTo(Instant.EPOCH);
  }

  private static SeiNodeStatus startedOver(Optional<Pod> pod) {
    var reconcile = aNode(A).status(RUNNING).pod(pod).pass();
    StatusReset.begin(reconcile);
    return reconcile.draft();
  }
}
