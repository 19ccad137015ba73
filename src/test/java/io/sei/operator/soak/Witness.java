package io.sei.operator.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.FaultyApiServer.Deletion;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** What must hold at any moment, whatever happens. */
final class Witness {

  private static final int MAX_UNAVAILABLE = 1;

  private final SoakWorld world;
  private final Disruptions disruptions;
  private final List<String> violations = new CopyOnWriteArrayList<>();

  Witness(SoakWorld world) {
    this.world = world;
    this.disruptions = new Disruptions(world);
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

  private void withinBudget(Deletion deletion) {
    assertThat(disruptions.with(deletion))
        .as(
            "healthy nodes that are down once %s is deleted, at %s; rollout %s",
            deletion.path(), Instant.now(), world.fleet().getStatus().rollout())
        .hasSizeLessThanOrEqualTo(MAX_UNAVAILABLE);
  }
}
