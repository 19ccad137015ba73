package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.FleetUpgrade;
import java.util.List;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A fleet whose template lists an upgrade. */
@Order(1)
class FleetUpgradeTest extends FleetTestCase {

  private static final int NODES = 3;

  @Test
  void nodesGoOnAtOnceWhenTheyHaltWhateverARolloutMay() {
    createReady(NODES);
    list();
    awaitReached(0);
    assertThat(events(FLEET, "RolloutStarted")).isEmpty();

    halt(NODES);

    awaitUpToDate(NODES, B);
    awaitReached(NODES);
    assertThat(specImages()).containsOnly(A);
    assertThat(events(FLEET, "RolloutStarted")).isEmpty();
    for (int ordinal = 0; ordinal < NODES; ordinal++) {
      assertThat(pods(ordinal)).hasSize(2);
    }

    setImage(B);

    awaitUpToDate(NODES, B);
    awaitEvents("RolloutComplete", 1);
    for (int ordinal = 0; ordinal < NODES; ordinal++) {
      assertThat(pods(ordinal)).as("folding the image restarts nothing").hasSize(2);
    }
  }

  @Tag("long")
  @Test
  void listReachesNodesWhileRolloutsArePausedAndBelowThePartition() {
    createReady(2);
    patch("{'spec':{'updateStrategy':{'paused':true,'inPlace':{'partition':1}}}}");

    list();

    eventually(() -> assertThat(nodes()).allMatch(node -> node.getSpec().upgrades() != null));
    halt(2);
    eventually(() -> assertThat(currentImages()).containsExactly(B, B));
  }

  @Tag("long")
  @Test
  void minorReleaseRunsAheadOfItsHeightNodeByNode() {
    chain.chain().plan("v2", 100_000, "{\"upgradeType\":\"minor\"}");
    createReady(3);

    patch(
        ("{'spec':{'template':{'spec':{'upgrades':["
                + "{'name':'v2','height':100000,'image':'%s','early':true}]}}}}")
            .formatted(B));

    awaitUpToDate(3, B);
    assertThat(specImages()).containsOnly(A);
    assertThat(events(FLEET, "RolloutStarted")).isEmpty();
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      assertThat(podImages(ordinal)).containsExactly(A, B);
    }
    assertThat(pods(1).get(0).deletionRequestedAt()).isAfter(pods(2).get(1).createdAt());
    assertThat(pods(0).get(0).deletionRequestedAt()).isAfter(pods(1).get(1).createdAt());
    assertThat(nodes())
        .flatExtracting(node -> node.getStatus().upgrades())
        .allMatch(upgrade -> upgrade.evidence().startsWith("a minor release"));
  }

  private void list() {
    patch(
        "{'spec':{'template':{'spec':{'upgrades':[{'name':'v2','height':100,'image':'%s'}]}}}}"
            .formatted(B));
  }

  private void halt(int nodes) {
    for (int ordinal = 0; ordinal < nodes; ordinal++) {
      kubelet.halt(namespace, FLEET + "-" + ordinal + "-0", "v2", 100);
    }
  }

  private void awaitReached(int nodes) {
    eventually(
        () ->
            assertThat(status().upgrades())
                .isEqualTo(List.of(new FleetUpgrade("v2", 100L, B, nodes + "/" + NODES, null))));
  }
}
