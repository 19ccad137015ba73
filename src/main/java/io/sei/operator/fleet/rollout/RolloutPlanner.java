package io.sei.operator.fleet.rollout;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.PlanTargetBuilder;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.fleet.model.RolloutDecision;
import io.sei.operator.fleet.model.RolloutVerdict;
import io.sei.operator.plan.PlanSpec;
import io.sei.operator.plan.Plans;
import io.sei.operator.plan.Reuse;
import io.sei.operator.plan.TaskSpec;
import io.sei.operator.render.TemplateHash;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Decides from a snapshot whether a rollout begins, goes on, turns or rests. */
public final class RolloutPlanner {

  private final Predicate<TaskPlan> isKnown;

  /**
   * @param isKnown whether this build can run a stored plan
   */
  public RolloutPlanner(Predicate<TaskPlan> isKnown) {
    this.isKnown = isKnown;
  }

  /** Decides. */
  public RolloutDecision decide(FleetSnapshot snapshot) {
    SeiNodeDeploymentStatus settled = settled(snapshot);
    if (!settled.equals(snapshot.status())) {
      return new RolloutDecision.Persist(settled);
    }
    if (snapshot.isHeld()) {
      return held(settled);
    }
    if (settled.rollout() == null && wasHeld(settled)) {
      // A node that is still paused would be passed over, as one that somebody else has paused.
      return new RolloutDecision.Release();
    }
    Optional<Rollout> due = due(snapshot);
    if (due.isEmpty()) {
      return settled.pausedRollout() == null
          ? new RolloutDecision.Rest()
          : new RolloutDecision.Persist(settled.withPausedRollout(null));
    }
    Rollout rollout = due.get();
    if (!rollout.equals(settled.rollout())) {
      return new RolloutDecision.Persist(
          settled.with(
              it -> it.rollout(rollout).pausedRollout(null).plan(plan(snapshot, rollout))));
    }
    if (!isOurs(settled.plan(), rollout)) {
      return new RolloutDecision.Persist(settled.withPlan(plan(snapshot, rollout)));
    }
    return goOn(snapshot, rollout);
  }

  /** Whether the fleet was paused, or on its way to it, when its status was last written. */
  private static boolean wasHeld(SeiNodeDeploymentStatus settled) {
    return Conditions.find(settled.conditions(), FleetConditionType.PAUSED.toString())
        .filter(it -> it.isTrue() || it.reason().equals(FleetReason.PAUSING.toString()))
        .isPresent();
  }

  /** What is recorded of templates and of a rollout, corrected by what is there. */
  private static SeiNodeDeploymentStatus settled(FleetSnapshot snapshot) {
    SeiNodeDeploymentStatus status = snapshot.status();
    String completed = completedHash(snapshot);
    // One that every node was brought to did not fail: there is nothing else to go back to.
    boolean failed =
        snapshot.templateHash().equals(status.failedTemplateHash())
            && !snapshot.templateHash().equals(completed);
    Rollout rollout = corrected(snapshot, status.rollout());
    // The Go operator also makes plans that belong to no rollout, and nobody steps those here.
    TaskPlan plan = rollout == null ? null : status.plan();
    return status.with(
        it ->
            it.templateHash(completed)
                .failedTemplateHash(failed ? status.failedTemplateHash() : null)
                .rollout(rollout)
                .pausedRollout(rollout == null ? status.pausedRollout() : null)
                .plan(plan));
  }

  private static String completedHash(FleetSnapshot snapshot) {
    SeiNodeDeploymentStatus status = snapshot.status();
    String hash = status.templateHash();
    if (!TemplateHash.isKnownFormat(hash) || !isThere(snapshot, hash)) {
      return commonHash(snapshot).orElse(snapshot.templateHash());
    }
    boolean everyNode =
        status.rollout() == null
            && !snapshot.fleet().isEmpty()
            && snapshot.fleet().stream().allMatch(node -> node.isOn(snapshot.target()));
    return everyNode ? snapshot.target() : hash;
  }

  /** Nothing could be brought to, or back to, a template that nobody has any more. */
  private static boolean isThere(FleetSnapshot snapshot, String hash) {
    return hash.equals(snapshot.templateHash())
        || snapshot.fleet().stream().anyMatch(node -> node.isOn(hash))
        || snapshot.revisions().template(hash).isPresent();
  }

  private static Rollout corrected(FleetSnapshot snapshot, Rollout rollout) {
    return RolloutRecord.corrected(rollout, snapshot.fleet(), snapshot.limits(), snapshot.now());
  }

  /** The template that all nodes are of, be they made by this build or another. */
  private static Optional<String> commonHash(FleetSnapshot snapshot) {
    Set<String> hashes =
        snapshot.fleet().stream().map(FleetNode::templateHash).collect(Collectors.toSet());
    return hashes.size() == 1 ? hashes.stream().findFirst() : Optional.empty();
  }

  /** Pausing freezes a rollout and clears nothing that resuming needs. */
  private static RolloutDecision held(SeiNodeDeploymentStatus status) {
    return status.rollout() == null
        ? new RolloutDecision.Rest()
        : new RolloutDecision.Persist(
            status.with(it -> it.pausedRollout(status.rollout()).rollout(null).plan(null)));
  }

  /**
   * The rollout that begins, goes on or is resumed as soon as nothing is held. Empty if every node
   * that is to have the template has it.
   */
  public static Optional<Rollout> due(FleetSnapshot snapshot) {
    Rollout active = corrected(snapshot, snapshot.status().rollout());
    Rollout earlier =
        active == null ? corrected(snapshot, snapshot.status().pausedRollout()) : active;
    if (earlier != null && earlier.targetHash().equals(snapshot.target())) {
      return Optional.of(earlier);
    }
    if (active == null && !isAnyNodeOutdated(snapshot)) {
      return Optional.empty();
    }
    List<RolloutNode> nodes = earlier == null ? recorded(snapshot) : carriedOver(snapshot, earlier);
    return Optional.of(corrected(snapshot, new Rollout(snapshot.target(), snapshot.now(), nodes)));
  }

  private static boolean isAnyNodeOutdated(FleetSnapshot snapshot) {
    return snapshot.fleet().stream()
        .filter(node -> !node.terminating() && !node.paused())
        .filter(node -> node.ordinal() >= snapshot.limits().partition())
        .anyMatch(node -> !node.isOn(snapshot.target()));
  }

  private static List<RolloutNode> recorded(FleetSnapshot snapshot) {
    return snapshot.fleet().stream()
        .filter(node -> !node.terminating())
        .map(node -> new RolloutNode(node.name(), null, node.isReady()))
        .toList();
  }

  /**
   * A node that an earlier rollout made unavailable was healthy all the same. One on its way keeps
   * its turn, and counts: its pod may be deleted for the earlier template at any moment.
   */
  private static List<RolloutNode> carriedOver(FleetSnapshot snapshot, Rollout earlier) {
    var nodes = new ArrayList<RolloutNode>();
    for (FleetNode node : snapshot.fleet()) {
      if (!node.terminating()) {
        boolean before = earlier.node(node.name()).map(RolloutNode::wasAvailable).orElse(false);
        Instant turn =
            RolloutPolicy.isOnItsWay(earlier, node, snapshot.limits(), snapshot.now())
                ? snapshot.now()
                : null;
        nodes.add(new RolloutNode(node.name(), turn, before || node.isReady()));
      }
    }
    return List.copyOf(nodes);
  }

  private static RolloutDecision goOn(FleetSnapshot snapshot, Rollout rollout) {
    RolloutVerdict verdict =
        RolloutPolicy.decide(rollout, snapshot.fleet(), snapshot.limits(), snapshot.now());
    if (verdict.rollBack() && canRollBack(snapshot, rollout)) {
      return new RolloutDecision.Persist(
          snapshot.status().withFailedTemplateHash(rollout.targetHash()));
    }
    if (verdict.admit().isEmpty()) {
      return new RolloutDecision.Continue(rollout, verdict);
    }
    return new RolloutDecision.Persist(
        snapshot.status().withRollout(admitted(rollout, verdict.admit(), snapshot.now())));
  }

  private static boolean canRollBack(FleetSnapshot snapshot, Rollout rollout) {
    String last = snapshot.status().templateHash();
    return last != null
        && !last.equals(rollout.targetHash())
        && rollout.targetHash().equals(snapshot.templateHash())
        && snapshot.revisions().template(last).isPresent();
  }

  /** The rollout with more nodes whose turn has come. */
  static Rollout admitted(Rollout rollout, List<FleetNode> admit, Instant now) {
    var nodes = new ArrayList<RolloutNode>();
    Set<String> names = admit.stream().map(FleetNode::name).collect(Collectors.toSet());
    List<RolloutNode> known = rollout.nodes() == null ? List.of() : rollout.nodes();
    for (RolloutNode node : known) {
      nodes.add(names.contains(node.name()) ? node.withAdmittedAt(now) : node);
    }
    for (FleetNode node : admit) {
      if (rollout.node(node.name()).isEmpty()) {
        nodes.add(new RolloutNode(node.name(), now, node.isReady()));
      }
    }
    return rollout.withNodes(List.copyOf(nodes));
  }

  private boolean isOurs(TaskPlan plan, Rollout rollout) {
    return plan != null
        && plan.isActive()
        && plan.kind() == PlanKind.ROLLOUT
        && plan.target() != null
        && Objects.equals(plan.target().specHash(), rollout.targetHash())
        && isKnown.test(plan)
        && endsByItself(plan);
  }

  /**
   * A rollout that ended before its nodes are there would forget which of them were healthy, so
   * what a plan says of its last task is not believed.
   */
  private static boolean endsByItself(TaskPlan plan) {
    List<PlannedTask> tasks = plan.tasks();
    PlannedTask last = tasks.isEmpty() ? null : tasks.get(tasks.size() - 1);
    return last != null
        && last.type().equals(RolloutTasks.AWAIT_SPEC_UPDATE)
        && last.status() != TaskStatus.COMPLETE;
  }

  private static TaskPlan plan(FleetSnapshot snapshot, Rollout rollout) {
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    params.put("groupName", snapshot.deployment().getMetadata().getName());
    params.put("namespace", snapshot.deployment().getMetadata().getNamespace());
    ArrayNode names = params.putArray("nodeNames");
    snapshot.fleet().forEach(node -> names.add(node.name()));
    PlanTarget target =
        PlanTargetBuilder.builder()
            .generation(snapshot.deployment().getMetadata().getGeneration())
            .specHash(rollout.targetHash())
            .image(snapshot.template().spec().image())
            .build();
    return Plans.create(
        UUID.randomUUID().toString(),
        new PlanSpec(
            PlanKind.ROLLOUT,
            target,
            List.of(
                new TaskSpec(RolloutTasks.UPDATE_NODE_SPECS, params, 0, Reuse.NONE),
                new TaskSpec(RolloutTasks.AWAIT_SPEC_UPDATE, params, 0, Reuse.NONE)),
            null,
            null),
        0,
        snapshot.now());
  }
}
