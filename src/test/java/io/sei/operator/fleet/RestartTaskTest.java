package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeTaskConditionType;
import io.sei.operator.api.v1alpha1.NodeTaskPhase;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiNodeTaskStatus;
import io.sei.operator.progression.SidecarTaskTypes;
import io.sei.operator.task.Tasks;
import io.sei.operator.testkit.SidecarFaults;
import io.sei.operator.testkit.SidecarVersion;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tasks that restart seid on the nodes of a fleet, within what it can do without. */
class RestartTaskTest extends FleetTestCase {

  @Test
  void oneNodeIsRestartedAfterTheOther() {
    sidecar.version(SidecarVersion.V0_0_70);
    createReady(2);
    List.of(0, 1).forEach(it -> faults(it).hold(SidecarTaskTypes.RESTART_SEID));

    List.of(0, 1).forEach(it -> client.resource(task(it)).create());

    eventually(
        () ->
            assertThat(List.of(0, 1))
                .filteredOn(it -> node(it).getStatus().unreadConfig() != null)
                .hasSize(1));
    int first = node(0).getStatus().unreadConfig() == null ? 1 : 0;
    int second = 1 - first;
    eventually(
        () ->
            assertThat(
                    Conditions.find(status(second).conditions(), NodeTaskConditionType.TARGET_READY)
                        .orElseThrow()
                        .message())
                .isEqualTo(
                    "fleet fleet has 1 of at most 1 nodes down (maxUnavailable): fleet-" + first));
    stays(() -> assertThat(node(second).getStatus().unreadConfig()).isNull());
    List.of(0, 1).forEach(it -> faults(it).release(SidecarTaskTypes.RESTART_SEID));

    eventually(
        () ->
            assertThat(List.of(0, 1))
                .extracting(this::status)
                .allMatch(it -> it.phase() == NodeTaskPhase.COMPLETE));
    assertThat(restarts()).containsExactly(1, 1);
    assertThat(podUids(2)).allMatch(pods -> pods.size() == 1);
    awaitUpToDate(2, A);
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
                    .filter(it -> it.getName().equals("seid"))
                    .mapToInt(ContainerStatus::getRestartCount)
                    .sum())
        .boxed()
        .toList();
  }
}
