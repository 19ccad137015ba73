package io.sei.operator.testkit.samples;

import static io.sei.operator.testkit.samples.NodeSample.LONG_AGO;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import io.sei.operator.fleet.OfflineFleet;
import io.sei.operator.fleet.feature.Limits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The record of a rollout to {@link FleetNodeSample#NEW}, and the limits of one. */
public final class RolloutSample {

  private static final Duration PROGRESS_DEADLINE = Duration.ofSeconds(600);

  private RolloutSample() {}

  /** A rollout of nodes that were available; these were admitted an hour ago. */
  public static Rollout aRollout(int nodes, Integer... admitted) {
    List<Integer> ordinals = List.of(admitted);
    return new Rollout(
        FleetNodeSample.NEW,
        LONG_AGO,
        IntStream.range(0, nodes)
            .mapToObj(
                ordinal ->
                    new RolloutNode(
                        "fleet-" + ordinal, ordinals.contains(ordinal) ? LONG_AGO : null, true))
            .toList());
  }

  /**
   * A rollout in words, as {@code "3:1 2:0:2"}: of three nodes, two of which were admitted an hour
   * ago, one of which was not available before, and one of which stalled.
   */
  public static Rollout aRollout(String words) {
    String[] parts = words.split(":");
    Rollout rollout = aRollout(Integer.parseInt(parts[0]), ordinals(parts, 1));
    List<Integer> down = List.of(ordinals(parts, 2));
    List<Integer> stalled = List.of(ordinals(parts, 3));
    return rollout.withNodes(
        IntStream.range(0, rollout.nodes().size())
            .mapToObj(
                ordinal ->
                    rollout
                        .nodes()
                        .get(ordinal)
                        .withWasAvailable(!down.contains(ordinal))
                        .withStalledOn(stalled.contains(ordinal) ? "ImagePull" : null))
            .toList());
  }

  private static Integer[] ordinals(String[] parts, int index) {
    return parts.length <= index || parts[index].isEmpty()
        ? new Integer[0]
        : Stream.of(parts[index].split(" ")).map(Integer::valueOf).toArray(Integer[]::new);
  }

  /** Limits in words: how many may be unavailable, or {@code "partition 1"}, {@code "ready 30"}. */
  public static Limits limits(String words) {
    String[] parts = words.split(" ");
    return switch (parts[0]) {
      case "partition" -> partition(Integer.parseInt(parts[1]));
      case "ready" -> minReady(Duration.ofSeconds(Long.parseLong(parts[1])));
      case "unset" -> minReady(null);
      default -> limits(Integer.parseInt(parts[0]));
    };
  }

  public static Limits limits(int maxUnavailable) {
    return limits(maxUnavailable, 0, Duration.ZERO, PROGRESS_DEADLINE, OnStall.HOLD);
  }

  public static Limits partition(int partition) {
    return limits(1, partition, Duration.ZERO, PROGRESS_DEADLINE, OnStall.HOLD);
  }

  /** Limits with this time, or without one where that is null. */
  public static Limits minReady(Duration minReady) {
    return limits(1, 0, minReady, PROGRESS_DEADLINE, OnStall.HOLD);
  }

  public static Limits rollback(Duration deadline) {
    return limits(1, 0, Duration.ZERO, deadline, OnStall.ROLLBACK);
  }

  /** Any limits of a fleet of this size that hold a rollout when it stalls. */
  public static Limits anyLimits(Random random, int size) {
    int maxUnavailable = 1 + random.nextInt(size + 1);
    int partition = random.nextInt(3) == 0 ? random.nextInt(size + 1) : 0;
    var minReady = Duration.ofSeconds(random.nextInt(3) * 5L);
    return limits(maxUnavailable, partition, minReady, PROGRESS_DEADLINE, OnStall.HOLD);
  }

  private static Limits limits(
      int maxUnavailable, int partition, Duration minReady, Duration deadline, OnStall onStall) {
    return new Limits(
        maxUnavailable,
        partition,
        Optional.ofNullable(minReady),
        OfflineFleet.CONFIRMATION,
        deadline,
        onStall);
  }
}
