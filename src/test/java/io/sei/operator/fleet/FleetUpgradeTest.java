package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetUpgrade;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeTaskConditionType;
import io.sei.operator.api.v1alpha1.NodeTaskPhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiNodeTaskStatus;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.render.Annotations;
import io.sei.operator.task.Tasks;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.SidecarFaults;
import io.sei.operator.testkit.SidecarVersion;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Nodes of a fleet that are updated otherwise than by a new pod of its rollout: at a listed height,
 * in place, and by tasks that restart seid.
 */
@Order(1)
class FleetUpgradeTest extends FleetTestCase {

  private static final int NODES = 3;

  private static final String POLICY =
      "{'spec':{'template':{'spec':{'updatePolicy':{'pod':'InPlaceIfPossible'}}}}}";

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

  /** A fleet whose template asks for updates in place. */
  @Tag("long")
  @Test
  void policyReachesEveryNodeAtOnceAndARolloutKeepsThePodsWhateverBecomesOfIt() {
    kubelet.injectForImage(C, PodFault.IMAGE_PULL);
    createReady(3);
    patch("{'spec':{'updateStrategy':{'paused':true}}}");

    patch(POLICY);

    eventually(() -> assertThat(nodes()).allMatch(node -> node.getSpec().podUpdates().isPresent()));
    assertThat(events(FLEET, "RolloutStarted")).isEmpty();
    patch("{'spec':{'updateStrategy':{'paused':null}}}");

    setImage(B);

    awaitEvents("RolloutComplete", 1);
    awaitUpToDate(3, B);

    setImage(C);

    eventually(
        () ->
            assertThat(nodes())
                .filteredOn(node -> node.getStatus().stalledSince().isPresent())
                .hasSize(1));
    stays(
        () -> {
          assertThat(specImages()).containsOnlyOnce(C);
          assertThat(status().readyReplicas()).isEqualTo(3);
        });

    setImage(B);

    awaitUpToDate(3, B);
    for (int ordinal = 0; ordinal < 3; ordinal++) {
      assertThat(pods(ordinal)).hasSize(1);
    }
  }

  @Tag("long")
  @Test
  void rollbackGoesBackInThePodAndTheCrashesOfTheBadImageDoNotCount() {
    kubelet.injectForImage(B, new PodFault.CrashLoop(1));
    createReady(2, new InPlace(null, null, null, 2, OnStall.ROLLBACK));
    patch(POLICY);

    setImage(B);

    awaitEvents("RolledBack", 1);
    eventually(() -> assertThat(currentImages()).containsExactly(A, A));
    assertThat(pods(0)).hasSize(1);
    assertThat(pods(1)).hasSize(1);
    eventually(() -> assertThat(nodeCondition(1, NodeConditionType.STALLED).isTrue()).isFalse());
  }

  /** Tasks that restart seid on the nodes of a fleet, within what it can do without. */
  @Tag("long")
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
