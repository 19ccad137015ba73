package io.sei.operator.soak;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.FaultyApiServer.Deletion;
import io.sei.operator.testkit.Invariants;
import io.sei.operator.testkit.RequestLog;
import io.sei.operator.testkit.SidecarTask;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Checks at each request and after each action what {@link Invariants} lists, and that no data is
 * lost.
 */
final class Witness {

  private static final int MAX_UNAVAILABLE = 1;

  private final SoakWorld world;
  private final Disruptions disruptions;
  private final KeptPods kept;
  private final List<String> violations = new CopyOnWriteArrayList<>();
  private final List<String> losses = new CopyOnWriteArrayList<>();

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
    Invariants.noDataIsLost(losses);
    Invariants.noPodIsDeletedTwice(world.door().deletions());
    for (SeiNode node : world.nodes()) {
      String name = node.getMetadata().getName();
      if (name.startsWith(SoakWorld.FLEET)) {
        Invariants.noTaskRunsTwice(
            name,
            world.sidecar().tasks(world.namespace(), name).stream()
                .filter(task -> !isRefused(task))
                .toList());
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
    kept.lost(request, body).ifPresent(losses::add);
  }

  private void aboutToDelete(Deletion deletion) {
    try {
      Invariants.onlyOwnObjectsAreDeleted(deletion, "(alone|fleet)-");
      if (deletion.path().contains("/pods/" + SoakWorld.FLEET)) {
        withinBudget(deletion);
      }
    } catch (AssertionError e) {
      violations.add(e.getMessage());
    }
  }

  private static String described(SeiNode node) {
    return "%s: %s %s".formatted(node.getMetadata().getName(), node.getSpec(), node.getStatus());
  }

  private void withinBudget(Deletion deletion) {
    Invariants.limitOfUnavailableNodesHolds(
        disruptions.with(deletion),
        MAX_UNAVAILABLE,
        () ->
            "once %s is deleted, at %s; %s; nodes: %s"
                .formatted(
                    deletion.path(),
                    Instant.now(),
                    world.fleet().getStatus(),
                    world.nodes().stream().map(Witness::described).collect(joining("\n"))));
  }
}
