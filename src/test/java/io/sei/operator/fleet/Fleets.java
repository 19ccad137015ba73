package io.sei.operator.fleet;

import io.sei.operator.FleetAssembly;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import io.sei.operator.base.Memory;
import io.sei.operator.fleet.model.FleetFeature;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.Limits;
import io.sei.operator.fleet.objects.FleetObjects;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Nodes, rollouts and limits to decide about; each method changes one thing of a good one. */
public final class Fleets {

  public static final String OLD = "v1-old";
  public static final String NEW = "v1-new";
  public static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
  public static final Instant LONG_AGO = NOW.minusSeconds(3600);

  /** To be asked what they report; they cannot act. */
  public static final List<FleetFeature> FEATURES =
      FleetAssembly.features(null, null, new FleetObjects(null, null), new Memory<>());

  private Fleets() {}

  public static String name(int ordinal) {
    return "fleet-" + ordinal;
  }

  /** A node that was given one template and runs another, Ready or not. */
  public static FleetNode node(int ordinal, String given, String running, boolean ready) {
    return new FleetNode(
        name(ordinal),
        ordinal,
        NodePhase.RUNNING,
        "sei:a",
        given,
        running,
        ready ? LONG_AGO : null,
        ready ? "PodReady" : "PodNotReady",
        null,
        null,
        null,
        false,
        true,
        false,
        null,
        null,
        null,
        false,
        false,
        false,
        false,
        true,
        false,
        false,
        false,
        List.of());
  }

  public static FleetNode old(int ordinal) {
    return node(ordinal, OLD, OLD, true);
  }

  /** Was Ready once, and its seid does not run. */
  public static FleetNode oldDown(int ordinal) {
    return behind(ordinal).withMayRun(false);
  }

  /** Was Ready until a moment ago, and its seid runs. */
  public static FleetNode behind(int ordinal) {
    return node(ordinal, OLD, OLD, false);
  }

  /** Has yet to be Ready for the first time. */
  public static FleetNode syncing(int ordinal) {
    return behind(ordinal).withNeverReady(true);
  }

  /** Runs the new template, and seid crashed a while ago after it had been Ready. */
  public static FleetNode crashed(FleetNode node, Instant at) {
    return node.with(it -> it.crashedAt(at).crash("seid crashed after it was Ready"));
  }

  /** Given the new template, and its old pod runs on. */
  public static FleetNode rolling(int ordinal) {
    return node(ordinal, NEW, OLD, true);
  }

  /** Runs the new template and is not Ready yet. */
  public static FleetNode starting(int ordinal) {
    return node(ordinal, NEW, NEW, false);
  }

  public static FleetNode done(int ordinal) {
    return node(ordinal, NEW, NEW, true);
  }

  /** A node that has been stalled for an hour. */
  public static FleetNode stalled(FleetNode node, String reason) {
    return node.with(
        it ->
            it.readySince(null).stall(reason).stallMessage("the evidence").stalledSince(LONG_AGO));
  }

  public static FleetNode paused(FleetNode node) {
    return node.with(it -> it.readySince(null).paused(true));
  }

  public static FleetNode terminating(FleetNode node) {
    return node.withTerminating(true);
  }

  public static FleetNode readySince(FleetNode node, Instant since) {
    return node.withReadySince(since);
  }

  /** A rollout to the new template of nodes that were available; these were admitted long ago. */
  public static Rollout rollout(int nodes, Integer... admitted) {
    List<Integer> turns = List.of(admitted);
    return new Rollout(
        NEW,
        LONG_AGO,
        IntStream.range(0, nodes)
            .mapToObj(
                ordinal ->
                    new RolloutNode(name(ordinal), turns.contains(ordinal) ? LONG_AGO : null, true))
            .toList());
  }

  public static Limits limits(int maxUnavailable) {
    return new Limits(
        maxUnavailable, 0, Optional.of(Duration.ZERO), Duration.ofSeconds(600), OnStall.HOLD);
  }

  public static Limits partition(int partition) {
    return new Limits(
        1, partition, Optional.of(Duration.ZERO), Duration.ofSeconds(600), OnStall.HOLD);
  }

  /** Limits with this time, or with none where that is null. */
  public static Limits minReady(Duration minReady) {
    return new Limits(1, 0, Optional.ofNullable(minReady), Duration.ofSeconds(600), OnStall.HOLD);
  }

  public static Limits rollback(Duration deadline) {
    return new Limits(1, 0, Optional.of(Duration.ZERO), deadline, OnStall.ROLLBACK);
  }
}
