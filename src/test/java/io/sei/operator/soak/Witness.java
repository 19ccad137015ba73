package io.sei.operator.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.testkit.FaultyApiServer.Deletion;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** What must hold at any moment, whatever happens. */
final class Witness {

  private static final int MAX_UNAVAILABLE = 1;

  private final SoakWorld world;
  private final List<String> violations = new CopyOnWriteArrayList<>();

  Witness(SoakWorld world) {
    this.world = world;
    world.door().beforeEachDeletion(this::aboutToDelete);
  }

  /** Throws if something that must hold did not. */
  void check() {
    assertThat(violations).isEmpty();
    assertThat(
            world.door().deletions().stream()
                .filter(Deletion::isAccepted)
                .filter(deletion -> deletion.path().contains("/pods/"))
                .collect(Collectors.groupingBy(Deletion::uid, Collectors.counting())))
        .as("pods deleted by the operator, by uid")
        .allSatisfy((uid, times) -> assertThat(times).isEqualTo(1));
    for (SeiNode node : world.nodes()) {
      String name = node.getMetadata().getName();
      if (name.startsWith(SoakWorld.FLEET)) {
        assertThat(world.sidecar().tasks(world.namespace(), name))
            .as("tasks of the sidecar of %s", name)
            .allSatisfy(task -> assertThat(task.run()).as("%s", task).isEqualTo(1));
      }
    }
  }

  int deletions() {
    return world.door().deletions().size();
  }

  private void aboutToDelete(Deletion deletion) {
    try {
      whatIsNotKnownIsNotDeleted(deletion);
      if (deletion.path().contains("/pods/" + SoakWorld.FLEET)) {
        withinBudget(deletion);
      }
    } catch (AssertionError e) {
      violations.add(e.getMessage());
    }
  }

  /** Nodes of a fleet are deleted by name when it is scaled down, and everything else by uid. */
  private static void whatIsNotKnownIsNotDeleted(Deletion deletion) {
    assertThat(deletion.path())
        .matches(".*/(pods|statefulsets|seinodes|controllerrevisions)/(alone|fleet)-[^/]*");
    if (deletion.path().matches(".*/(pods|statefulsets)/.*")) {
      assertThat(deletion.uid()).as("uid to be deleted at %s", deletion.path()).isNotEmpty();
    }
  }

  /** Of the nodes that served before their turn came, few enough are down with this one. */
  private void withinBudget(Deletion deletion) {
    String doomed = deletion.path().replaceAll(".*/(fleet-\\d+)-0$", "$1");
    Pod pod = pod(doomed);
    SeiNodeDeployment fleet = world.fleet();
    Rollout rollout = fleet.getStatus().rollout();
    if (rollout == null || pod == null || !pod.getMetadata().getUid().equals(deletion.uid())) {
      return;
    }
    List<String> down =
        Optional.ofNullable(rollout.nodes()).orElse(List.of()).stream()
            .filter(node -> node.admittedAt() != null && Boolean.TRUE.equals(node.wasAvailable()))
            .map(RolloutNode::name)
            .filter(name -> isWanted(name, fleet, rollout))
            .filter(name -> name.equals(doomed) || !isReady(pod(name)))
            .toList();
    assertThat(down)
        .as("nodes that served, and are down once %s is deleted; rollout %s", doomed, rollout)
        .hasSizeLessThanOrEqualTo(MAX_UNAVAILABLE);
  }

  /** A node that people took away is down because of them, also when it was made again. */
  private boolean isWanted(String name, SeiNodeDeployment fleet, Rollout rollout) {
    int ordinal = Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
    return ordinal < fleet.getSpec().replicas()
        && world.nodes().stream()
            .filter(node -> node.getMetadata().getName().equals(name))
            .filter(node -> !node.isMarkedForDeletion())
            .map(node -> Instant.parse(node.getMetadata().getCreationTimestamp()))
            .anyMatch(created -> created.isBefore(rollout.startedAt()));
  }

  private Pod pod(String node) {
    return SoakWorld.asked(
        () -> world.client().pods().inNamespace(world.namespace()).withName(node + "-0").get());
  }

  private static boolean isReady(Pod pod) {
    return pod != null
        && pod.getMetadata().getDeletionTimestamp() == null
        && pod.getStatus().getConditions().stream()
            .filter(Objects::nonNull)
            .anyMatch(
                condition ->
                    condition.getType().equals("Ready") && condition.getStatus().equals("True"));
  }
}
