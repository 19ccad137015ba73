package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Worker;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Where the pods of a fleet are, and how they leave a machine that is drained. */
class SpreadOnThreeMachinesTest extends ClusterTestCase {

  private static final List<String> PODS = List.of(pod(0), pod(1), pod(2));

  /**
   * No machine takes the pod of the first drain, so that the second one would take another node.
   */
  @Test
  void fleetOfThreeHasANodeOnEachMachineAndDrainsTakeOneAtATime() {
    createFleet(3, Chain.V1.image(), "");
    assertThat(machinesOfPods().keySet()).containsExactlyInAnyOrderElementsOf(PODS);
    assertThat(machinesOfPods().values()).doesNotHaveDuplicates();
    eventually(() -> assertThat(readyReplicas()).isEqualTo("3"));
    machine.workers().forEach(worker -> machine.kubectl("cordon", worker.name()));
    List<String> others =
        PODS.stream().filter(pod -> !machinesOfPods().get(pod).equals(last().name())).toList();
    String drained = PODS.stream().filter(pod -> !others.contains(pod)).findFirst().orElseThrow();
    int height = awaitHeight(drained, 2);
    List<String> uids = others.stream().map(this::uid).toList();

    drain(last());

    eventually(() -> assertThat(field("pods", drained, "status.phase")).isEqualTo("Pending"));
    for (String pod : others) {
      assertThat(machine.client().pods().inNamespace(namespace).withName(pod).evict())
          .as("eviction of %s while %s is down", pod, drained)
          .isFalse();
    }
    assertThat(others.stream().map(this::uid)).isEqualTo(uids);

    machine.workers().stream()
        .filter(worker -> worker != last())
        .forEach(worker -> machine.kubectl("uncordon", worker.name()));

    awaitHeight(drained, height + 1);
    assertThat(machinesOfPods().get(drained)).isNotEqualTo(last().name());
    eventually(() -> assertThat(readyReplicas()).isEqualTo("3"));
  }

  @Test
  @Tag("long")
  void rolloutLeavesTheNodeOfACordonedMachineAloneUntilItIsUncordoned() {
    createFleet(2, Chain.V1.image(), "");
    eventually(() -> assertThat(readyReplicas()).isEqualTo("2"));
    String cordoned = machinesOfPods().get(pod(0));
    machine.kubectl("cordon", cordoned);
    String before = uid(pod(0));

    setImage(Chain.V2.image());

    eventually(() -> assertThat(currentImage(1)).isEqualTo(Chain.V2.image()));
    eventually(
        () ->
            assertThat(
                    field(
                        "seinodedeployments",
                        FLEET,
                        "status.conditions[?(@.type=='RolloutInProgress')].message"))
                .contains("leaves " + node(0) + " alone"));
    assertThat(uid(pod(0))).isEqualTo(before);

    machine.kubectl("uncordon", cordoned);

    eventually(() -> assertThat(currentImage(0)).isEqualTo(Chain.V2.image()));
  }

  private String currentImage(int ordinal) {
    return field("seinodes", node(ordinal), "status.currentImage");
  }

  private Worker last() {
    return machine.workers().getLast();
  }

  private void drain(Worker worker) {
    machine.kubectl(
        "drain",
        worker.name(),
        "--ignore-daemonsets",
        "--delete-emptydir-data",
        "--pod-selector=sei.io/node",
        "--timeout=2m");
  }

  private String readyReplicas() {
    return field("seinodedeployments", FLEET, "status.readyReplicas");
  }
}
