package io.sei.operator.node.volume;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.DataReset;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeVolume;
import io.sei.operator.api.v1alpha1.PodBaseline;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Fields of a node's status that remain when its data is wiped. */
class DataResetsTest {

  private static final String A = "sei:a";

  private static final SeiNodeStatus RUNNING =
      aNode(A)
          .running()
          .status()
          .with(
              builder ->
                  builder
                      .phaseTransitionTime(Instant.EPOCH)
                      .podBaseline(
                          new PodBaseline(aPod(aNode(A)).build().getMetadata().getUid(), "v1:0"))
                      .dataClaimUid("claim")
                      .dataVolume(new NodeVolume("claim", "pv-1", "disk-1", null, null))
                      .signingPublicKey("key")
                      .syncedAt(Instant.EPOCH));

  /** Seid of the next pod starts with no other key than was validated, also on wiped data. */
  @Test
  void aResetWipesWhatIsOnTheVolumeAndNothingElse() {
    var reset = new DataReset(1L, "claim", Instant.EPOCH, null);

    SeiNodeStatus status = DataResets.startingOver(RUNNING, reset);

    assertThat(status.phase()).isEqualTo(NodePhase.INITIALIZING);
    assertThat(status.dataReset()).isEqualTo(reset);
    assertThat(status.syncedAt()).isNull();
    assertThat(status.currentImage()).isNull();
    assertThat(status.signingPublicKey()).isEqualTo("key");
    assertThat(status.dataVolume()).isEqualTo(RUNNING.dataVolume());
    assertThat(status.dataClaimUid()).isEqualTo("claim");
    assertThat(status.podBaseline()).isEqualTo(RUNNING.podBaseline());
    assertThat(status.phaseTransitionTime()).isEqualTo(Instant.EPOCH);
  }
}
