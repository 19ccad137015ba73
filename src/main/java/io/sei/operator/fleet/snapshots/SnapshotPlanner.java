package io.sei.operator.fleet.snapshots;

import io.sei.operator.api.v1alpha1.FleetDataVolume.Snapshots;
import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Phase;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Request;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Run;
import io.sei.operator.api.v1alpha1.FleetSnapshotsRunBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.api.validation.CronSchedule;
import io.sei.operator.fleet.disruption.Disruptions;
import io.sei.operator.fleet.feature.Disruption;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.SnapshotStop;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides when a snapshot is due, and of which node. One that is missed, or has to wait, is taken
 * once as soon as possible; a new schedule begins now.
 */
public final class SnapshotPlanner {

  /** A node that stops shortly before an upgrade comes back while the others are at its height. */
  private static final Duration BEFORE_UPGRADE = SnapshotStop.LONGEST.plus(Duration.ofMinutes(5));

  private static final DateTimeFormatter SLOT =
      DateTimeFormatter.ofPattern("yyyyMMddHHmm").withZone(ZoneOffset.UTC);

  private final FleetView view;
  private final FleetSnapshots record;

  private SnapshotPlanner(FleetView view) {
    this.view = view;
    this.record = view.snapshots();
  }

  /**
   * Decides.
   *
   * @param rolling whether a rollout is in progress, or about to begin
   */
  static SnapshotStep decide(FleetView view, boolean rolling) {
    var planner = new SnapshotPlanner(view);
    Optional<Snapshots> wanted = view.deployment().getSpec().snapshotSchedule();
    Optional<Run> run = view.stored().runningSnapshot();
    if (run.isPresent() && !isReadable(run.get(), view.now())) {
      return new SnapshotStep.Persist(planner.record.withActive(null));
    }
    // One that needs its node no more becomes ready by itself.
    if (run.filter(candidate -> wanted.isPresent() || candidate.needsNode()).isPresent()) {
      return new SnapshotStep.Advance(run.get());
    }
    if (wanted.isPresent()) {
      return planner.scheduled(wanted.get(), rolling);
    }
    return view.stored().snapshots() == null
        ? new SnapshotStep.Rest(Optional.empty())
        : new SnapshotStep.Persist(null);
  }

  /** A status can be edited by hand. A node that is stopped starts by itself. */
  private static boolean isReadable(Run run, Instant now) {
    boolean starts = run.phase() == Phase.STARTING || run.phase() == Phase.FINISHING;
    return run.node() != null
        && run.snapshot() != null
        && run.phase() != null
        && run.deadline() != null
        && isMoment(run.stoppedAt(), now)
        && (!starts || isMoment(run.startedAt(), now));
  }

  private static boolean isMoment(Instant time, Instant now) {
    return time != null
        && time.isAfter(Instant.EPOCH)
        && time.isBefore(now.plus(Duration.ofDays(1)));
  }

  /**
   * Returns the present request; after a failure of the driver the same request is not repeated.
   */
  private static Request asked(SeiNodeDeployment fleet) {
    return new Request(
        fleet.getSpec().snapshotSchedule().orElse(null),
        Annotations.of(fleet, Annotations.RETRY).orElse(null));
  }

  /** Another class or schedule is tried when it is due; a retry that is asked for, at once. */
  private SnapshotStep suspended(Request failed) {
    Request asked = asked(view.deployment());
    boolean isRetried = asked.retry() != null && !asked.retry().equals(failed.retry());
    if (!isRetried && asked.snapshots().equals(failed.snapshots())) {
      return new SnapshotStep.Rest(Optional.empty());
    }
    Instant next = isRetried ? view.now() : record.nextScheduleTime();
    return new SnapshotStep.Persist(
        record.with(builder -> builder.suspended(null).nextScheduleTime(next)));
  }

  private SnapshotStep scheduled(Snapshots wanted, boolean rolling) {
    if (record.suspended() != null) {
      return suspended(record.suspended());
    }
    CronSchedule schedule = CronSchedule.parse(wanted.schedule());
    Instant coming = schedule.after(view.now()).orElse(Instant.MAX);
    // A record of a later time was written by a clock that was ahead.
    Instant next =
        Optional.ofNullable(record.nextScheduleTime())
            .filter(time -> wanted.schedule().equals(record.schedule()) && time.isBefore(coming))
            .orElse(coming);
    FleetSnapshots known =
        record.with(builder -> builder.schedule(wanted.schedule()).nextScheduleTime(next));
    if (!known.equals(record)) {
      return new SnapshotStep.Persist(known);
    }
    if (next.isAfter(view.now())) {
      return new SnapshotStep.Rest(Optional.of(Duration.between(view.now(), next)));
    }
    Optional<String> obstacle = obstacle(rolling);
    if (obstacle.isPresent()) {
      return new SnapshotStep.Wait(obstacle.get());
    }
    Instant slot = schedule.upTo(view.now()).orElse(next);
    FleetSnapshots skipped =
        known.with(builder -> builder.lastScheduleTime(slot).nextScheduleTime(coming));
    return candidate(wanted)
        .<SnapshotStep>map(
            node -> new SnapshotStep.Begin(skipped.withActive(run(node, slot)), skipped))
        .orElseGet(() -> new SnapshotStep.Wait(objections(wanted)));
  }

  private Run run(FleetNode node, Instant slot) {
    return FleetSnapshotsRunBuilder.builder()
        .node(node.name())
        .snapshot(node.name() + "-" + SLOT.format(slot))
        .asked(asked(view.deployment()))
        .phase(Phase.STOPPING)
        .stoppedAt(view.now())
        .deadline(view.now().plus(SnapshotStop.LONGEST))
        .build();
  }

  /** Why no node may be stopped now. */
  private Optional<String> obstacle(boolean rolling) {
    if (view.isPaused()) {
      return Optional.of("spec.paused is true");
    }
    if (rolling || view.stored().pausedRollout() != null) {
      return Optional.of("a rollout is not complete");
    }
    return Disruptions.of(view).obstacle(Disruption.SNAPSHOT);
  }

  private Optional<FleetNode> candidate(Snapshots wanted) {
    return eligible(wanted).filter(node -> objection(node).isEmpty()).findFirst();
  }

  private Stream<FleetNode> eligible(Snapshots wanted) {
    return view.fleet().stream()
        .filter(node -> wanted.mayTake(node.ordinal()))
        .sorted(Comparator.comparingInt(FleetNode::ordinal).reversed());
  }

  private String objections(Snapshots wanted) {
    String all =
        eligible(wanted)
            .map(node -> node.name() + " " + objection(node).orElse("may be stopped"))
            .collect(Collectors.joining("; "));
    return all.isEmpty() ? "there is no node " + wanted.node() : all;
  }

  private Optional<String> objection(FleetNode node) {
    if (node.terminating()) {
      return Optional.of("is being deleted");
    }
    if (node.pausedOrHeld()) {
      return node.absence().map(FleetNode.Absence::state);
    }
    if (node.atRisk()) {
      return Optional.of("has a data volume at risk");
    }
    if (!node.isReady()) {
      return Optional.of("is not Ready");
    }
    if (node.isLeaving()) {
      return Optional.of("is left alone: " + node.leaving());
    }
    if (!node.upToDate() || node.switching()) {
      return Optional.of("is not up to date");
    }
    return upgradeAhead(node)
        .map(
            upgrade ->
                "is expected to reach upgrade \"%s\" at %s"
                    .formatted(upgrade.name(), upgrade.expectedAt()));
  }

  private Optional<UpgradeStatus> upgradeAhead(FleetNode node) {
    return Optional.ofNullable(view.child(node).getStatus()).map(SeiNodeStatus::upgrades).stream()
        .flatMap(List::stream)
        .filter(upgrade -> upgrade.isAhead() && upgrade.expectedAt() != null)
        .filter(upgrade -> upgrade.expectedAt().isBefore(view.now().plus(BEFORE_UPGRADE)))
        .findFirst();
  }
}
