package io.sei.operator.fleet;

import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.api.validation.FleetValidation;
import io.sei.operator.fleet.disruption.RolloutPlanner;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.RolloutDecision;
import io.sei.operator.fleet.feature.RolloutVerdict;
import io.sei.operator.fleet.feature.TemplateAssignment;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.render.ChildRenderer;
import io.sei.operator.testkit.GoldenLines;
import io.sei.operator.testkit.StatusCorpus;
import io.sei.operator.testkit.StatusCorpus.Stored;
import io.sei.operator.testkit.samples.FleetSample;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every status that an earlier build has stored of a fleet is understood: nothing of it is lost,
 * and what is decided on it and on its nodes stays what it was. {@code -Dgolden.update=true} writes
 * the decisions again.
 */
public class FleetStatusCorpusTest {

  /** Texts about a node in the list of nodes, which are in no condition. */
  private static final Set<FleetReason> OF_NODES_ALONE =
      Set.of(FleetReason.NODE_PAUSED, FleetReason.NODE_HELD, FleetReason.SET_BY_HAND);

  /** The stored fleets with the statuses that are written of them next. */
  public static Stream<SeiNodeDeployment> written() {
    return StatusCorpus.fleets().stream()
        .filter(stored -> !stored.resource().isMarkedForDeletion())
        .filter(stored -> FleetValidation.validate(stored.resource().getSpec()).isEmpty())
        .flatMap(
            stored ->
                Stream.of(StatusCorpus.NOW, StatusCorpus.NOW.plus(Duration.ofHours(1)))
                    .map(now -> with(stored.resource(), decided(stored, now))));
  }

  private static SeiNodeDeploymentStatus decided(Stored<SeiNodeDeployment> stored, Instant now) {
    FleetView view = snapshot(stored, now);
    return FleetStatus.concluded(
        view.stored(),
        addDecision("", view, new ArrayList<>()),
        stored.resource().getMetadata().getGeneration(),
        now);
  }

  private static SeiNodeDeployment with(SeiNodeDeployment fleet, SeiNodeDeploymentStatus status) {
    var written = new SeiNodeDeployment();
    written.setMetadata(fleet.getMetadata());
    written.setSpec(fleet.getSpec());
    written.setStatus(status);
    return written;
  }

  @Test
  void nothingIsLostOfAnyStatus() {
    for (var stored : StatusCorpus.fleets()) {
      assertThat(StatusCorpus.json(stored.resource().getStatus()))
          .as("line %d", stored.line())
          .isEqualTo(stored.status());
    }
  }

  @Test
  void everyDecisionIsWhatItWas() {
    GoldenLines.check(
        StatusCorpus.decisions("fleets"),
        StatusCorpus.fleets().stream().flatMap(FleetStatusCorpusTest::decisions));
  }

  @Test
  void everyConditionAndReasonIsThere() {
    Set<String> missing =
        Stream.concat(
                Stream.of(FleetConditionType.values()),
                Stream.of(FleetReason.values()).filter(reason -> !OF_NODES_ALONE.contains(reason)))
            .map(Object::toString)
            .collect(Collectors.toSet());
    StatusCorpus.fleets().stream()
        .map(stored -> stored.resource().getStatus().conditions())
        .filter(Objects::nonNull)
        .flatMap(List::stream)
        .forEach(condition -> missing.removeAll(List.of(condition.type(), condition.reason())));
    assertThat(missing).isEmpty();
  }

  private static Stream<String> decisions(Stored<SeiNodeDeployment> stored) {
    var lines = new ArrayList<String>();
    SeiNodeDeployment fleet = stored.resource();
    SeiNodeDeploymentStatus status = FleetView.statusOf(fleet);
    lines.add("%d: %s, %s".formatted(stored.line(), status.phase(), status.reason()));
    StatusCorpus.changes(fleet.getStatus(), status)
        .forEach(change -> lines.add("  seeded " + change));
    if (fleet.isMarkedForDeletion()) {
      return lines.stream();
    }
    FleetView now = snapshot(stored, StatusCorpus.NOW);
    List<FieldError> errors = FleetValidation.validate(fleet.getSpec());
    if (!errors.isEmpty()) {
      lines.add("  the spec is invalid");
      addDifference(
          status, FleetStatus.invalid(now.deployment(), any -> now, errors, now.now()), lines);
      return lines.stream();
    }
    now.fleet().forEach(node -> lines.add("  " + seen(node) + assigned(now, node)));
    addDecision("now", now, lines);
    addDecision("in an hour", snapshot(stored, now.now().plus(Duration.ofHours(1))), lines);
    return lines.stream();
  }

  private static FleetView snapshot(Stored<SeiNodeDeployment> stored, Instant now) {
    SeiNodeDeployment resource = stored.resource();
    FleetSample fleet = aFleet(resource).kept(stored.revisions());
    for (SeiNode node : stored.nodes()) {
      OptionalInt ordinal = ChildRenderer.ordinal(resource, node.getMetadata().getName());
      if (ordinal.isPresent()) {
        fleet = fleet.child(ordinal.getAsInt(), node);
      }
    }
    return fleet.view().with(view -> view.stored(FleetView.statusOf(resource)).now(now));
  }

  /** Describes a node by its own status. */
  private static String seen(FleetNode node) {
    var seen = new ArrayList<String>();
    seen.add(node.phase() + "/" + node.readyReason());
    seen.add(node.isReady() ? "ready since " + node.readySince() : "not ready");
    if (node.stall() != null) {
      seen.add("stalled on " + node.stall() + " since " + node.stalledSince());
    }
    if (node.crash() != null) {
      seen.add("crashed: " + node.crash());
    }
    Map.of(
            "never ready", node.neverReady(),
            "may run", node.mayRun(),
            "caught up", node.caughtUpAt() != null,
            "paused", node.pausedOrHeld(),
            "held", node.held(),
            "stopped", node.stopped(),
            "up to date", node.upToDate(),
            "switching", node.switching())
        .entrySet()
        .stream()
        .filter(Map.Entry::getValue)
        .map(Map.Entry::getKey)
        .sorted()
        .forEach(seen::add);
    if (node.snapshotting()) {
      seen.add("snapshotting");
    }
    if (node.atRisk()) {
      seen.add("at risk");
    }
    seen.add("given " + node.templateHash() + ", runs " + node.runningHash());
    return node.name() + ": " + String.join(", ", seen);
  }

  private static String assigned(FleetView view, FleetNode node) {
    return ", is to have "
        + TemplateAssignment.of(view, node.ordinal())
            .map(template -> template.spec().image())
            .orElse("nothing");
  }

  private static SeiNodeDeploymentStatus addDecision(
      String when, FleetView view, List<String> lines) {
    var reconcile = new FleetPass(view, live -> live);
    RolloutDecision decision = RolloutPlanner.decide(view);
    lines.add("  %s: %s".formatted(when, decided(decision)));
    switch (decision) {
      case RolloutDecision.Persist persist -> reconcile.update(status -> persist.status());
      case RolloutDecision.Continue proceed -> {
        reconcile.judged(proceed.verdict(), proceed.plan());
        reconcile.update(status -> proceed.status());
      }
      case RolloutDecision.Resume _, RolloutDecision.Rest _ -> {}
    }
    SeiNodeDeploymentStatus after = FleetStatus.of(reconcile, OfflineFleet.CONDITIONS);
    addDifference(view.stored(), after, lines);
    return after;
  }

  private static String decided(RolloutDecision decision) {
    return switch (decision) {
      case RolloutDecision.Persist persist ->
          "persist %s, paused %s, template %s, failed %s"
              .formatted(
                  rollout(persist.status().rollout()),
                  rollout(persist.status().pausedRollout()),
                  persist.status().completedTemplateHash(),
                  persist.status().failedTemplateHash());
      case RolloutDecision.Continue proceed ->
          "continue, %s, %s".formatted(verdict(proceed.verdict()), plan(proceed.plan()));
      case RolloutDecision.Resume _ -> "resume";
      case RolloutDecision.Rest _ -> "rest";
    };
  }

  private static String rollout(Rollout rollout) {
    return rollout == null
        ? "no rollout"
        : "rollout to %s of %s"
            .formatted(
                rollout.targetHash(),
                Objects.requireNonNullElse(rollout.nodes(), List.<Rollout.RolloutNode>of()).stream()
                    .map(
                        node ->
                            "%s%s%s"
                                .formatted(
                                    node.name(),
                                    node.admittedAt() == null ? "" : " admitted",
                                    Boolean.TRUE.equals(node.wasAvailable()) ? " available" : ""))
                    .toList());
  }

  private static String verdict(RolloutVerdict verdict) {
    return "admit %s%s%s%s%s%s%s"
        .formatted(
            verdict.admit().stream().map(FleetNode::name).toList(),
            verdict.admitted() ? ", all admitted" : "",
            verdict.done() ? ", done" : "",
            verdict.rollBack() ? ", roll back" : "",
            verdict.stalled().map(node -> ", stalled on " + node.name()).orElse(""),
            verdict.obstacleWords().map(obstacleWords -> ", " + obstacleWords).orElse(""),
            verdict.recheck().map(duration -> ", again in " + duration).orElse(""));
  }

  private static String plan(TaskPlan plan) {
    Optional<String> task = plan.currentTask().map(PlannedTask::type);
    return "plan " + plan.phase() + task.map(text -> " at " + text).orElse("");
  }

  private static void addDifference(
      SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after, List<String> lines) {
    List<ObjectEvent> events = FleetEvents.between(before, after, OfflineFleet.CONDITIONS);
    lines.add(
        "    %s, %s of %s ready; events: %s"
            .formatted(
                after.phase(),
                after.readyReplicas(),
                after.replicas(),
                events.stream().map(ObjectEvent::reason).toList()));
    List<Condition> earlier = Objects.requireNonNullElse(before.conditions(), List.of());
    after.conditions().stream()
        .filter(condition -> !earlier.contains(condition))
        .map(
            condition ->
                "    %s=%s/%s since %s: %s"
                    .formatted(
                        condition.type(),
                        condition.status(),
                        condition.reason(),
                        condition.lastTransitionTime(),
                        condition.message()))
        .forEach(lines::add);
    StatusCorpus.changes(before, after).forEach(change -> lines.add("    " + change));
  }
}
