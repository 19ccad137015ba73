package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Machine;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Halts that no operator saw, and of pods that it did not make. */
@Isolated
class OperatorDownTest extends MachineTestCase {

  @AfterEach
  void startOperator() {
    scaleOperator(1);
  }

  @Test
  void haltThatNobodySawIsAHalt() {
    createNode(Chain.V1_HALTING.image());
    awaitHeight(POD, 2);
    scaleOperator(0);
    eventually(() -> assertThat(restarts()).isGreaterThanOrEqualTo(3));

    try (var reasons = new ReadyReasons(machine.client(), namespace)) {
      scaleOperator(1);
      eventually(() -> assertThat(condition("Ready")).isEqualTo("False/HaltedAtUpgrade"));

      assertThat(reasons.seen()).doesNotContain("CrashLoop");
    }
    assertThat(message("Ready")).contains("\"v2\" at height " + Chain.HEIGHT);
  }

  @Test
  void listedUpgradeThatNobodySawGoesOnOnceAnOperatorRuns() {
    createNode(Chain.V1_HALTING.image());
    listUpgrade(Chain.HEIGHT, Chain.V2.image());
    awaitHeight(POD, 2);
    scaleOperator(0);
    eventually(() -> assertThat(restarts()).isGreaterThanOrEqualTo(2));
    assertThat(seid("spec.containers", "image")).isEqualTo(Chain.V1_HALTING.image());

    scaleOperator(1);

    awaitBlocks(Chain.V2.image());
    assertThat(status("status.upgrades[0].state")).isEqualTo("Applied");
  }

  /** The Go operator sets no policy, so that the API server sets one that leaves no message. */
  @Test
  void haltOfAPodOfTheGoOperatorIsAHalt() {
    createNode(Chain.V1_HALTING.image());
    eventually(() -> assertThat(status("status.phase")).isEqualTo("Running"));
    scaleOperator(0);
    String before = podUid();
    kubectl(
        "patch",
        "statefulset",
        NODE,
        "--patch",
        "{\"spec\":{\"template\":{\"spec\":{\"containers\":["
            + "{\"name\":\"seid\",\"terminationMessagePolicy\":\"File\"}]}}}}");
    kubectl("delete", "pod", POD);
    eventually(() -> assertThat(podUid()).isNotEqualTo(before));
    assertThat(seid("spec.containers", "terminationMessagePolicy")).isEqualTo("File");
    String adopted = podUid();

    try (var reasons = new ReadyReasons(machine.client(), namespace)) {
      scaleOperator(1);
      eventually(
          () -> {
            assertThat(restarts()).isGreaterThanOrEqualTo(3);
            assertThat(condition("Ready")).isEqualTo("False/HaltedAtUpgrade");
          });

      assertThat(reasons.seen()).doesNotContain("CrashLoop");
    }
    assertThat(seid("status.containerStatuses", "lastState.terminated.message")).isEmpty();
    assertThat(podUid()).isEqualTo(adopted);
  }

  private void scaleOperator(int replicas) {
    machine.kubectl(
        "-n", Machine.OPERATOR, "scale", "deployment", Machine.OPERATOR, "--replicas=" + replicas);
    eventually(
        () ->
            assertThat(
                    machine.kubectl(
                        "-n",
                        Machine.OPERATOR,
                        "get",
                        "pods",
                        "--selector=app.kubernetes.io/name=sei-operator",
                        "-o",
                        "jsonpath={.items[*].status.conditions[?(@.type=='Ready')].status}"))
                .isEqualTo(replicas == 0 ? "" : "True"));
  }
}
