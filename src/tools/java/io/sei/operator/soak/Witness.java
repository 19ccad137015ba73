package io.sei.operator.soak;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.FaultyApiServer.Deletion;
import io.sei.operator.testkit.RequestLog;
import io.sei.operator.testkit.SidecarTask;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** Invariants that hold at any moment. */
final class Witness {

  private static final int MAX_UNAVAILABLE = 1;

  private final SoakWorld world;
  private final Disruptions disruptions;
  private final KeptPods kept;
  private final List<String> violations = new CopyOnWriteArrayList<>();

  Witness(SoakWorld world) {
    this.world = world;
    this.disruptions = new Disruptions(world);
    this.kept = new KeptPods(world);
    world.door().beforeEachDeletion(this::aboutToDelete);
    world.door().onEachWrite(this::asked);
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
            .filteredOn(task -> !isRefused(task))
            .allSatisfy(task -> assertThat(task.run()).as("%s", task).isEqualTo(1));
      }
    }
  }

  /** A task that fails is retried under the same id. */
  private static boolean isRefused(SidecarTask task) {
    return task.params() != null && task.params().toString().contains(People.REFUSED);
  }

  int deletions() {
    return world.door().deletions().size();
  }

  private void asked(RequestLog.Request request, JsonNode body) {
    kept.lost(request, body).ifPresent(violations::add);
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

  /**
   * Nodes of a fleet are deleted by name when it is scaled down, pods, StatefulSets and the Jobs of
   * image pulls by uid.
   */
  private static void whatIsNotKnownIsNotDeleted(Deletion deletion) {
    assertThat(deletion.path())
        .matches(
            ".*/(pods|statefulsets|jobs|seinodes|controllerrevisions|poddisruptionbudgets)/(alone|fleet)-[^/]*");
    if (deletion.path().matches(".*/(pods|statefulsets|jobs)/.*")) {
      assertThat(deletion.uid()).as("uid to be deleted at %s", deletion.path()).isNotEmpty();
    }
  }

  private static String described(SeiNode node) {
    return "%s: %s %s".formatted(node.getMetadata().getName(), node.getSpec(), node.getStatus());
  }

  private void withinBudget(Deletion deletion) {
    assertThat(disruptions.with(deletion))
        .as(
            "nodes that are down once %s is deleted, at %s; %s; nodes: %s",
            deletion.path(),
            Instant.now(),
            world.fleet().getStatus(),
            world.nodes().stream().map(Witness::described).collect(Collectors.joining("\n")))
        .hasSizeLessThanOrEqualTo(MAX_UNAVAILABLE);
  }
}
