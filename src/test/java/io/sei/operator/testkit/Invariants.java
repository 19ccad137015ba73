package io.sei.operator.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.testkit.FaultyApiServer.Deletion;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The rules that hold whatever users, other controllers, faults, deaths and wrong input do. Tests
 * with random or hostile input, the crash sweep and the soak check them here and nowhere else.
 */
public final class Invariants {

  /** Deletions by the operator in these tests: objects of its nodes and fleets. */
  private static final String DELETED =
      ".*/(pods|statefulsets|jobs|seinodes|controllerrevisions|poddisruptionbudgets)/%s[^/]*";

  /** An object of the same name may be another one. */
  private static final String DELETED_BY_UID = ".*/(pods|statefulsets|jobs)/.*";

  /** The most that the schema lets a message have. */
  private static final int MESSAGE = 32_768;

  private Invariants() {}

  /**
   * When the operator takes a node down that serves, no more than maxUnavailable nodes of its fleet
   * are down.
   */
  public static void limitOfUnavailableNodesHolds(
      Collection<?> down, int maxUnavailable, Supplier<String> evidence) {
    assertThat(down)
        .as(() -> "nodes that are down, at most %d; %s".formatted(maxUnavailable, evidence.get()))
        .hasSizeLessThanOrEqualTo(maxUnavailable);
  }

  /** A node below the partition keeps its template. */
  public static void partitionHolds(
      int ordinal, int partition, Object template, Object templateBefore) {
    if (ordinal < partition) {
      assertThat(template)
          .as("template of node %d, below %d", ordinal, partition)
          .isEqualTo(templateBefore);
    }
  }

  /** A rollout, a plan or a status ends: after so many steps nothing is left to do. */
  public static void comesToRest(int steps, int most, Supplier<String> evidence) {
    assertThat(steps).as(() -> "steps until it comes to rest; " + evidence.get()).isLessThan(most);
  }

  /**
   * Nothing is deleted but objects of the operator, and what another object may replace under its
   * name only by uid.
   *
   * @param owners pattern of the names of nodes and fleets
   */
  public static void onlyOwnObjectsAreDeleted(Deletion deletion, String owners) {
    assertThat(deletion.path()).matches(DELETED.formatted(owners));
    if (deletion.path().matches(DELETED_BY_UID)) {
      assertThat(deletion.uid()).as("uid to be deleted at %s", deletion.path()).isNotEmpty();
    }
  }

  /** No pod is deleted twice. */
  public static void noPodIsDeletedTwice(Collection<Deletion> deletions) {
    assertThat(
            deletions.stream()
                .filter(Deletion::isAccepted)
                .filter(deletion -> deletion.path().contains("/pods/"))
                .collect(Collectors.groupingBy(Deletion::uid, Collectors.counting())))
        .as("pods deleted by the operator, by uid")
        .allSatisfy((uid, times) -> assertThat(times).isEqualTo(1));
  }

  /** No pod ends that alone keeps the data of its node, since its claim is being deleted. */
  public static void noDataIsLost(Collection<String> losses) {
    assertThat(losses).as("pods that ended with the data of their nodes").isEmpty();
  }

  /** No task of a sidecar is carried out twice. */
  public static void noTaskRunsTwice(String node, Collection<SidecarTask> tasks) {
    assertThat(tasks)
        .as("tasks of the sidecar of %s", node)
        .allSatisfy(task -> assertThat(task.run()).as("%s", task).isEqualTo(1));
  }

  /** A node runs its image and serves, and nothing is left to do. */
  public static void nodeIsAsDeclared(SeiNode node, String image) {
    var status = node.getStatus();
    assertThat(status.currentImage()).isEqualTo(image);
    assertThat(status.plan()).isNull();
    for (var type : List.of(NodeConditionType.READY, NodeConditionType.UP_TO_DATE)) {
      assertThat(status.isTrue(type)).as("%s of %s", type, status).isTrue();
    }
  }

  /** A fleet has all its nodes on its template, and nothing is left to do. */
  public static void fleetIsAsDeclared(SeiNodeDeployment fleet) {
    var status = fleet.getStatus();
    int replicas = fleet.getSpec().replicas();
    assertThat(status.phase()).as("%s", status).isEqualTo(FleetPhase.READY);
    assertThat(status.rollout()).isNull();
    assertThat(status.plan()).isNull();
    assertThat(status.updated()).isEqualTo("%1$d/%1$d".formatted(replicas));
  }

  /** Once all is as declared, the operator writes nothing. */
  public static void nothingIsWrittenAtRest(Collection<RequestLog.Request> requests, Instant from) {
    assertThat(requests)
        .filteredOn(RequestLog.Request::isWrite)
        .as("writes since %s", from)
        .noneMatch(request -> request.at().isAfter(from));
  }

  /** Every message fits into a status; a condition may have none. */
  public static void messagesFit(List<Condition> conditions) {
    assertThat(conditions)
        .extracting(Condition::message)
        .filteredOn(Objects::nonNull)
        .allSatisfy(message -> assertThat(message).hasSizeLessThanOrEqualTo(MESSAGE));
  }
}
