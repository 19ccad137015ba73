package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeTaskConditionType;
import io.sei.operator.api.v1alpha1.NodeTaskPhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiNodeTaskStatus;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.render.Annotations;
import io.sei.operator.task.Tasks;
import io.sei.operator.testkit.SidecarFaults;
import io.sei.operator.testkit.SidecarVersion;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tasks that restart seid on the nodes of a fleet, within what it can do without. */
class RestartTaskTest extends FleetTestCase {

  @Test
  void oneNodeIsRestartedAfterTheOther() {
    createHolding();
    List.of(0, 1).forEach(ordinal -> client.resource(task(ordinal)).create());

    int first = awaitFirst();
    int second = 1 - first;
    eventually(
        () ->
            assertThat(waitsFor(second))
                .isEqualTo(
                    "fleet fleet has yet to grant it: maxUnavailable 1 is used up by: fleet-"
                        + first));
    stays(() -> assertThat(node(second).getStatus().unreadConfig()).isNull());
    List.of(0, 1).forEach(ordinal -> faults(ordinal).release(SidecarTaskTypes.RESTART_SEID));

    List.of(0, 1).forEach(this::awaitComplete);
    assertThat(restarts()).containsExactly(1, 1);
    assertThat(podUids(2)).allMatch(pods -> pods.size() == 1);
    assertThat(nodes()).allMatch(node -> requestOf(node).isEmpty());
    awaitUpToDate(2, A);
  }

  /** The operator is down when the task is deleted, and so nothing but the fleet's pass sees it. */
  @Tag("long")
  @Test
  void theRequestOfADeletedTaskIsRemovedAndNotGranted() {
    createHolding();
    client.resource(task(0)).create();
    eventually(() -> assertThat(node(0).getStatus().unreadConfig()).isNotNull());
    client.resource(task(1)).create();
    eventually(() -> assertThat(requestOf(node(1))).isPresent());

    operator.stop();
    client.resource(task(1)).delete();
    operator.start();

    eventually(() -> assertThat(requestOf(node(1))).isEmpty());
    faults(0).release(SidecarTaskTypes.RESTART_SEID);
    awaitComplete(0);
    awaitUpToDate(2, A);
    assertThat(restarts()).containsExactly(1, 0);
  }

  private void createHolding() {
    sidecar.version(SidecarVersion.V0_0_70);
    createReady(2);
    List.of(0, 1).forEach(ordinal -> faults(ordinal).hold(SidecarTaskTypes.RESTART_SEID));
  }

  private int awaitFirst() {
    eventually(
        () ->
            assertThat(List.of(0, 1))
                .filteredOn(ordinal -> node(ordinal).getStatus().unreadConfig() != null)
                .hasSize(1));
    return node(0).getStatus().unreadConfig() == null ? 1 : 0;
  }

  private void awaitComplete(int ordinal) {
    eventually(() -> assertThat(status(ordinal).phase()).isEqualTo(NodeTaskPhase.COMPLETE));
  }

  private String waitsFor(int ordinal) {
    return Conditions.find(status(ordinal).conditions(), NodeTaskConditionType.TARGET_READY)
        .orElseThrow()
        .message();
  }

  private static Optional<String> requestOf(SeiNode node) {
    return Annotations.of(node, Annotations.SEID_RESTART_REQUESTED);
  }

  private SidecarFaults faults(int ordinal) {
    return sidecar.faults(namespace, FLEET + "-" + ordinal);
  }

  private SeiNodeTask task(int ordinal) {
    return Tasks.restart(namespace, "restart-" + ordinal, FLEET + "-" + ordinal);
  }

  private SeiNodeTaskStatus status(int ordinal) {
    return read(SeiNodeTask.class, "restart-" + ordinal).getStatus();
  }

  private List<Integer> restarts() {
    return IntStream.range(0, 2)
        .map(
            ordinal ->
                read(Pod.class, FLEET + "-" + ordinal + "-0")
                    .getStatus()
                    .getContainerStatuses()
                    .stream()
                    .filter(container -> container.getName().equals("seid"))
                    .mapToInt(ContainerStatus::getRestartCount)
                    .sum())
        .boxed()
        .toList();
  }
}
