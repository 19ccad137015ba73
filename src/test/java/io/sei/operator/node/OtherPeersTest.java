package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.PeerSource.LabelPeers;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.PeerResolution;
import io.sei.operator.node.feature.PeerSources;
import io.sei.operator.plan.PlanDecision;
import io.sei.operator.plan.Step;
import io.sei.operator.render.ConfigHash;
import io.sei.operator.sidecar.SidecarHealth;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Decides when a running node gets peers of a label that have become known since. */
class OtherPeersTest {

  private static final String A = "sei:a";
  private static final List<String> GIVEN = List.of("id@a:1");
  private static final List<String> OTHER = List.of("id@a:1", "id@b:1");
  private static final PlanDecision REST = new PlanDecision.Rest();
  private static final PlanDecision CONFIG =
      new PlanDecision.Start(PlanKind.CONFIG, "the peers changed", 0);

  @Test
  void samePeersAreNotGivenAgain() {
    assertThat(decide(NOW.minusSeconds(60), GIVEN, GIVEN)).isEqualTo(REST);
  }

  @Test
  void otherPeersAreGiven() {
    assertThat(decide(NOW.minusSeconds(30), GIVEN, OTHER)).isEqualTo(CONFIG);
    assertThat(decide(NOW.minusSeconds(30), List.of(), GIVEN)).isEqualTo(CONFIG);
  }

  @Test
  void otherPeersAreGivenOnceInThirtySeconds() {
    assertThat(decide(NOW.minusSeconds(20), GIVEN, OTHER))
        .isEqualTo(new PlanDecision.BackOff(Duration.ofSeconds(10)));
  }

  /** The node has no block to lose, and cannot get one without peers. */
  @Test
  void firstPeersAreGivenAtOnceAndSeidIsRestartedForThem() {
    SeiNodeStatus withoutBlock = aNode(A).running().status();
    NodeView lonely = snapshotOf(withoutBlock, NOW, List.of(), GIVEN);
    NodeView synced = snapshotOf(withoutBlock.withSyncedAt(NOW), NOW, List.of(), GIVEN);

    assertThat(decide(lonely))
        .isEqualTo(new PlanDecision.Start(PlanKind.CONFIG, "its first peers have appeared", 0));
    assertThat(tasks(lonely)).contains("restart-seid");
    assertThat(decide(synced)).isEqualTo(new PlanDecision.BackOff(Duration.ofSeconds(30)));
    assertThat(tasks(synced)).doesNotContain("restart-seid");
    assertThat(decide(snapshotOf(withoutBlock, NOW, GIVEN, OTHER)))
        .isEqualTo(new PlanDecision.BackOff(Duration.ofSeconds(30)));
  }

  @Test
  void otherPeersAreGivenAtOnceIfTheClockWasSetBack() {
    assertThat(decide(NOW.plusSeconds(3600), GIVEN, OTHER)).isEqualTo(CONFIG);
  }

  @Test
  void nodeKeepsItsPeersWhenNoneAreKnown() {
    assertThat(decide(NOW.minusSeconds(60), GIVEN, List.of())).isEqualTo(REST);
  }

  @Test
  void nodeThatWasTakenOverKeepsItsPeers() {
    assertThat(decide(null, GIVEN, OTHER)).isEqualTo(REST);
  }

  private static PlanDecision decide(Instant appliedAt, List<String> given, List<String> known) {
    return decide(
        snapshotOf(aNode(A).running().status().withSyncedAt(NOW), appliedAt, given, known));
  }

  private static PlanDecision decide(NodeView view) {
    return new NodePlanner(plan -> true, OfflineNode.OPERATIONS).decide(view);
  }

  private static List<String> tasks(NodeView view) {
    return OfflineNode.PLANS.of(PlanKind.CONFIG, view).tasks().stream().map(Step::type).toList();
  }

  private static NodeView snapshotOf(
      SeiNodeStatus status, Instant appliedAt, List<String> given, List<String> known) {
    SeiNode node = aNode(A).build();
    var source = new PeerSource(null, null, new LabelPeers(Map.of("a", "b"), null));
    node.setSpec(node.getSpec().withPeers(List.of(source)));
    String peersHash =
        PeerSources.params(node.getSpec(), given).map(ConfigHash::ofParams).orElse(null);
    var config =
        new AppliedConfig(
            ConfigHash.of(node.getSpec()), appliedAt, List.of(), peersHash, null, null);
    return aNode(node)
        .status(status.withConfig(config))
        .withPod(aPod(aNode(A)))
        .sidecar(SidecarHealth.READY)
        .peers(new PeerResolution(known, List.of(), List.of(), List.of()))
        .view();
  }
}
