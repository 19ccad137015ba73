package io.sei.operator.fleet;

import io.sei.operator.FleetAssembly;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.fleet.configuration.GradualConfiguration;
import io.sei.operator.fleet.disruption.RestartRequests;
import io.sei.operator.fleet.model.FleetFeature;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.Limits;
import io.sei.operator.fleet.model.ReadyConfirmation;
import io.sei.operator.fleet.objects.FleetObjects;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Nodes, rollouts and limits to decide about; each method changes one thing of a good one. */
public final class Fleets {

  public static final String OLD = "v1-old";
  public static final String NEW = "v1-new";
  public static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
  public static final Instant LONG_AGO = NOW.minusSeconds(3600);

  /** To be asked what they report; they cannot act. */
  public static final List<FleetFeature> FEATURES =
      FleetAssembly.features(
          null,
          null,
          new FleetObjects(null, null),
          new GradualConfiguration(false),
          node -> Optional.empty(),
          new RestartRequests(null, node -> false, null),
          (namespace, chain) -> Optional.empty(),
          new PerObjectState<>(),
          null);

  /** The operator's default. */
  public static final ReadyConfirmation CONFIRMATION =
      new ReadyConfirmation(Duration.ofSeconds(10), Duration.ofSeconds(30));

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
        null,
        false,
        true,
        null,
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
    return node.with(
        it -> it.crashedAt(at).crash("seid crashed after it was Ready").crashReason("CrashLoop"));
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

  /** Nodes by ordinal in words, as {@code "old, paused old, ready:29 done"}. */
  public static List<FleetNode> fleet(String words) {
    String[] nodes = words.split(", ");
    return IntStream.range(0, nodes.length).mapToObj(it -> node(it, nodes[it])).toList();
  }

  private static FleetNode node(int ordinal, String words) {
    List<String> said = List.of(words.split(" ")).reversed();
    FleetNode node =
        switch (said.getFirst()) {
          case "old" -> old(ordinal);
          case "down" -> oldDown(ordinal);
          case "behind" -> behind(ordinal);
          case "syncing" -> syncing(ordinal);
          case "earlier" -> node(ordinal, "v1-earlier", OLD, true);
          case "rolling" -> rolling(ordinal);
          case "starting" -> starting(ordinal);
          case "done" -> done(ordinal);
          default -> throw new IllegalArgumentException(words);
        };
    for (String word : said.subList(1, said.size())) {
      node = changed(node, word.split(":"));
    }
    return node;
  }

  private static FleetNode changed(FleetNode node, String... word) {
    return switch (word[0]) {
      case "paused" -> paused(node);
      case "terminating" -> terminating(node);
      case "stalled" -> stalled(node, word[1]);
      case "crashed" -> crashed(node, LONG_AGO);
      case "ready" -> readySince(node, NOW.minusSeconds(Long.parseLong(word[1])));
      case "readyAhead" -> readySince(node, Instant.MAX);
      case "block" -> node.withCaughtUpAt(NOW.minusSeconds(Long.parseLong(word[1])));
      case "atRisk" -> node.withAtRisk(true);
      case "unreadable" -> node.with(unknown -> unknown.unreadable(true).readySince(null));
      case "neverReady" -> node.withNeverReady(true);
      case "snapshotting" -> node.withSnapshotting(true);
      default -> throw new IllegalArgumentException(word[0]);
    };
  }

  /**
   * A rollout in words, as {@code "3:1 2:0"}: of three nodes, two of which were admitted long ago,
   * and one of which was not available before.
   */
  public static Rollout rollout(String words) {
    String[] said = words.split(":");
    Rollout rollout = rollout(Integer.parseInt(said[0]), ordinals(said, 1));
    List<Integer> down = List.of(ordinals(said, 2));
    return rollout.withNodes(
        IntStream.range(0, rollout.nodes().size())
            .mapToObj(it -> rollout.nodes().get(it).withWasAvailable(!down.contains(it)))
            .toList());
  }

  private static Integer[] ordinals(String[] words, int index) {
    return words.length <= index || words[index].isEmpty()
        ? new Integer[0]
        : Stream.of(words[index].split(" ")).map(Integer::valueOf).toArray(Integer[]::new);
  }

  /** Limits in words: how many may be unavailable, or {@code "partition 1"}, {@code "ready 30"}. */
  public static Limits limits(String words) {
    String[] said = words.split(" ");
    return switch (said[0]) {
      case "partition" -> partition(Integer.parseInt(said[1]));
      case "ready" -> minReady(Duration.ofSeconds(Long.parseLong(said[1])));
      case "unset" -> minReady(null);
      default -> limits(Integer.parseInt(said[0]));
    };
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
        maxUnavailable,
        0,
        Optional.of(Duration.ZERO),
        CONFIRMATION,
        Duration.ofSeconds(600),
        OnStall.HOLD);
  }

  public static Limits partition(int partition) {
    return new Limits(
        1,
        partition,
        Optional.of(Duration.ZERO),
        CONFIRMATION,
        Duration.ofSeconds(600),
        OnStall.HOLD);
  }

  /** Limits with this time, or with none where that is null. */
  public static Limits minReady(Duration minReady) {
    return new Limits(
        1, 0, Optional.ofNullable(minReady), CONFIRMATION, Duration.ofSeconds(600), OnStall.HOLD);
  }

  public static Limits rollback(Duration deadline) {
    return new Limits(1, 0, Optional.of(Duration.ZERO), CONFIRMATION, deadline, OnStall.ROLLBACK);
  }
}
