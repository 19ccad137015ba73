package io.sei.operator.node.upgrade;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.chain.ChainAnswer;
import io.sei.operator.chain.ChainHead;
import io.sei.operator.chain.ChainState;
import io.sei.operator.node.feature.AppliedUpgrades;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The spec has image 1, and lists v2 with image 2 at 100 and v3 with image 3 at 200. */
class StartingHeightTest {

  @ParameterizedTest(name = "at {0}: {1}")
  @CsvSource({"99, 1", "100, 2", "199, 2", "200, 3", "5000, 3"})
  void newVolumeStartsWithTheImageThatItsHeightNeeds(long height, String image) {
    NodeView view = restoredAt(height, SeiNodeStatus.empty());
    List<UpgradeStatus> records = StartingHeight.of(view).stream().toList();

    assertThat(new AppliedUpgrades(records).effective(view.node().getSpec()).image())
        .isEqualTo(image);
    assertThat(records)
        .allMatch(upgrade -> upgrade.evidence().equals("the volume starts at height " + height));
  }

  @ParameterizedTest(name = "chain at {0}: {1}")
  @CsvSource({"99, 1", "150, 2", "5000, 3"})
  void stateSyncStartsWithTheImageThatTheChainNeedsNow(long height, String image) {
    NodeView synced =
        snapshot(
            new Snapshot(null, new Snapshot.StateSync(), null, null, null), SeiNodeStatus.empty());
    var head = new ChainHead("atlantic-2", height, NodeSample.NOW);
    NodeView known =
        synced.withChain(Optional.of(ChainState.of(new ChainAnswer(head, Optional.empty()))));

    assertThat(StartingHeight.of(synced)).as("nobody has said the height").isEmpty();
    assertThat(
            new AppliedUpgrades(StartingHeight.of(known).stream().toList())
                .effective(known.node().getSpec())
                .image())
        .isEqualTo(image);
  }

  @Test
  void nodeThatReplaysFromGenesisStartsWithSpecImage() {
    assertThat(StartingHeight.of(snapshot(null, SeiNodeStatus.empty()))).isEmpty();
  }

  @Test
  void nodeThatHasBegunKeepsWhatItHas() {
    assertThat(StartingHeight.of(restoredAt(150, aNode("1").running().status()))).isEmpty();
    assertThat(
            StartingHeight.of(
                restoredAt(150, SeiNodeStatus.empty().withPhase(NodePhase.INITIALIZING))))
        .isEmpty();
  }

  @Test
  void volumeThatIsThereAlreadySpeaksForItself() {
    NodeView view = restoredAt(150, SeiNodeStatus.empty());

    assertThat(StartingHeight.of(view.withClaim(Optional.of(new PersistentVolumeClaim()))))
        .isEmpty();
  }

  private static NodeView restoredAt(long height, SeiNodeStatus status) {
    return snapshot(new Snapshot(new Snapshot.S3(height), null, null, null, null), status);
  }

  private static NodeView snapshot(Snapshot from, SeiNodeStatus status) {
    SeiNode node =
        aNode("1")
            .spec(
                spec ->
                    spec.with(
                        builder ->
                            builder
                                .fullNode(new FullNode(from, null))
                                .upgrades(
                                    List.of(
                                        new Upgrade("v3", 200L, "3", null),
                                        new Upgrade("v2", 100L, "2", null)))))
            .build();
    return aNode(node).status(status).view();
  }
}
