package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Machine;
import io.sei.operator.testkit.machine.Manifests;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Disturbs the machine and the operator in the middle of their work. */
@Isolated
class DisruptionTest extends MachineTestCase {

  private static final String ROLLED = "rolled";
  private static final String V1 = Chain.V1.image();
  private static final String V2 = Chain.V2.image();

  @AfterEach
  void uncordon() {
    machine.kubectl("uncordon", Machine.NAME);
  }

  @Test
  void rollAndListedUpgradeGoOnAfterOperatorAndKubeletWereKilledAndAPodComesBackAfterADrain() {
    apply(Manifests.node(ROLLED, V1));
    awaitHeight(ROLLED + "-0", 2);
    String before = field("pods", ROLLED + "-0", "metadata.uid");
    createNode(Chain.V1_HALTING.image());
    listUpgrade(Chain.HEIGHT, V2);
    awaitHeight(POD, Chain.HEIGHT - 5);

    kubectl(
        "patch",
        "seinode",
        ROLLED,
        "--type=merge",
        "-p",
        "{\"spec\":{\"image\":\"%s\"}}".formatted(V2));
    eventually(
        () -> assertThat(field("seinodes", ROLLED, "status.plan.phase")).isEqualTo("Active"));
    machine.kubectl(
        "-n",
        Machine.OPERATOR,
        "delete",
        "pod",
        "-l",
        "app.kubernetes.io/name=sei-operator",
        "--force",
        "--grace-period=0");
    machine.stopKubelet();
    machine.startKubelet();

    awaitBlocks(V2);
    assertThat(podsEverCreated()).isEqualTo(2);
    assertThat(status("status.upgrades[0].state")).isEqualTo("Applied");
    eventually(() -> assertThat(field("seinodes", ROLLED, "status.currentImage")).isEqualTo(V2));
    awaitHeight(ROLLED + "-0", awaitHeight(ROLLED + "-0", 1) + 1);
    assertThat(field("pods", ROLLED + "-0", "metadata.uid")).isNotEqualTo(before);
    assertThat(podsEverCreated(ROLLED + "-0")).isEqualTo(2);
    int height = awaitHeight(POD, Chain.HEIGHT + 1);

    machine.kubectl(
        "drain",
        Machine.NAME,
        "--ignore-daemonsets",
        "--delete-emptydir-data",
        "--pod-selector=sei.io/node=" + NODE,
        "--timeout=2m");
    eventually(() -> assertThat(message("Ready")).containsIgnoringCase("schedul"));
    machine.kubectl("uncordon", Machine.NAME);

    awaitHeight(POD, height + 1);
    awaitReady();
  }

  @Test
  @Tag("long")
  void updateInPlaceGoesOnAfterTheKubeletWasRestartedAndInANewPodAfterADrain() {
    createNode(V1);
    patch("{\"spec\":{\"updatePolicy\":{\"pod\":\"InPlaceIfPossible\"}}}");
    awaitBlocks(V1);
    String before = podUid();
    // Both images are known to be there then.
    editImage(V2);
    awaitBlocks(V2);
    eventually(() -> assertThat(condition("UpToDate")).startsWith("True/"));
    machine.stopKubelet();

    editImage(V1);
    eventually(() -> assertThat(seid("spec.containers", "image")).isEqualTo(V1));
    machine.startKubelet();

    awaitBlocks(V1);
    assertThat(podUid()).isEqualTo(before);
    eventually(() -> assertThat(condition("UpToDate")).startsWith("True/"));
    machine.stopKubelet();
    editImage(V2);
    eventually(() -> assertThat(seid("spec.containers", "image")).isEqualTo(V2));
    // What a drain asks for.
    machine.client().pods().inNamespace(namespace).withName(POD).evict();
    machine.startKubelet();

    awaitBlocks(V2);
    assertThat(podUid()).isNotEqualTo(before);
    assertThat(podsEverCreated()).isEqualTo(2);
  }
}
