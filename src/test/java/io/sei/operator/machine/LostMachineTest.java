package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Machine;
import io.sei.operator.testkit.machine.Worker;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes of a fleet, and the operator itself, on a machine that is lost. */
class LostMachineTest extends ClusterTestCase {

  private static final String UPGRADES =
      "upgrades: [{name: v2, height: %d, image: '%s'}]"
          .formatted(Chain.LATER_HEIGHT, Chain.V2.image());

  /** The label of machines that may have the operator. */
  private static final String OPERATORS = "operators";

  private boolean isOperatorMoved;

  @AfterEach
  void moveOperatorBack() {
    if (isOperatorMoved) {
      machine.installOperator(Machine.ON_FIRST);
    }
  }

  /** The seid of the cut off machine runs on to the height, and halts there. */
  @Test
  void upgradeHeightIsPassedWithoutALostMachineWhoseOldPodFollowsWhenItIsBack() {
    createFleet(3, Chain.V1_HALTING_LATER.image(), UPGRADES);
    awaitFleetReady();
    int away = ordinalAwayFrom(machineOfOperator());
    String before = uid(pod(away));

    Worker machineAway = cutOffMachineOf(pod(away));

    for (int ordinal = 0; ordinal < 3; ordinal++) {
      if (ordinal != away) {
        awaitUpgrade(ordinal);
      }
    }
    awaitSilent(machineAway);
    eventually(() -> assertThat(condition(node(away), "Ready")).endsWith("/NodeLost"));
    assertThat(uid(pod(away))).isEqualTo(before);
    assertThat(field("seinodes", node(away), "status.currentImage"))
        .isEqualTo(Chain.V1_HALTING_LATER.image());

    restore();

    awaitUpgrade(away);
    awaitFleetReady();
  }

  /** Follows docs/runbooks/NodeLost.md; the disk has all that was written before. */
  @Test
  @Tag("long")
  void podAndDiskOfAMachineThatIsOffMoveOnceItIsTaintedOutOfService() {
    createFleet(3, Chain.V1.image(), "");
    awaitFleetReady();
    int away = ordinalAwayFrom(machineOfOperator());
    Worker off = machine.worker(machinesOfPods().get(pod(away)));
    int height = awaitHeight(pod(away), 10);
    String before = uid(pod(away));
    String claim = field("seinodes", node(away), "status.dataClaimUid");

    powerOff(off);

    awaitSilent(off);
    eventually(() -> assertThat(condition(node(away), "Ready")).endsWith("/NodeLost"));
    assertThat(uid(pod(away))).isEqualTo(before);
    taintOutOfService(off);
    eventually(
        () -> {
          assertThat(uid(pod(away))).isNotEqualTo(before);
          assertThat(machinesOfPods().get(pod(away))).isNotNull().isNotEqualTo(off.name());
        });
    assertThat(awaitHeight(pod(away), height + 1)).isGreaterThan(height);
    assertThat(field("seinodes", node(away), "status.dataClaimUid")).isEqualTo(claim);
    eventually(() -> assertThat(condition(node(away), "Ready")).startsWith("True/"));
  }

  @Test
  @Tag("long")
  void standbyFinishesTheRolloutOfALeaderWhoseMachineIsOff() {
    List<Worker> two = machine.workers().subList(1, 3);
    isOperatorMoved = true;
    two.forEach(
        worker ->
            machine.kubectl("label", "node", worker.name(), "--overwrite", OPERATORS + "=here"));
    machine.installOperator(List.of("replicas=2", "nodeSelector." + OPERATORS + "=here"));
    Worker leading = machineOfLeader();
    machine.kubectl("cordon", leading.name());
    createFleet(2, Chain.V1.image(), "");
    assertThat(machinesOfPods().values()).doesNotContain(leading.name());
    String leader = leader();

    setImage(Chain.V2.image());
    eventually(
        () ->
            assertThat(
                    field("seinodes", node(0), "status.plan.phase")
                        + field("seinodes", node(1), "status.plan.phase"))
                .contains("Active"));
    powerOff(leading);

    for (int ordinal = 0; ordinal < 2; ordinal++) {
      String node = node(ordinal);
      eventually(
          () ->
              assertThat(field("seinodes", node, "status.currentImage"))
                  .isEqualTo(Chain.V2.image()));
      awaitHeight(pod(ordinal), awaitHeight(pod(ordinal), 1) + 1);
      assertThat(podsEverCreated(pod(ordinal))).isEqualTo(2);
    }
    assertThat(leader()).isNotEqualTo(leader);
  }

  private void awaitFleetReady() {
    eventually(
        () ->
            assertThat(field("seinodedeployments", FLEET, "status.readyReplicas")).isEqualTo("3"));
  }

  private void awaitUpgrade(int ordinal) {
    awaitHeight(pod(ordinal), Chain.LATER_HEIGHT + 1);
    eventually(
        () ->
            assertThat(field("seinodes", node(ordinal), "status.upgrades[0].state"))
                .isEqualTo("Applied"));
  }

  private int ordinalAwayFrom(String other) {
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      if (!machinesOfPods().get(pod(ordinal)).equals(other)) {
        return ordinal;
      }
    }
    throw new AssertionError("all pods are on " + other);
  }

  private String leader() {
    return machine.kubectl(
        "-n",
        Machine.OPERATOR,
        "get",
        "lease",
        "bc1f5b0a.sei.io",
        "-o",
        "jsonpath={.spec.holderIdentity}");
  }

  private Worker machineOfLeader() {
    // A leader that ends gives its Lease back, which then names no holder for a moment.
    eventually(() -> assertThat(leader()).isNotEmpty());
    String pod = leader().replaceAll("_.*", "");
    return machine.worker(
        machine.kubectl(
            "-n", Machine.OPERATOR, "get", "pod", pod, "-o", "jsonpath={.spec.nodeName}"));
  }
}
