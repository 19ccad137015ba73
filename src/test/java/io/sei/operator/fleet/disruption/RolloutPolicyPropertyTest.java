package io.sei.operator.fleet.disruption;

import static io.sei.operator.testkit.samples.FleetNodeSample.aFleetNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.Limits;
import io.sei.operator.fleet.feature.RolloutVerdict;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.Invariants;
import io.sei.operator.testkit.samples.FleetNodeSample;
import io.sei.operator.testkit.samples.NodeSample;
import io.sei.operator.testkit.samples.RolloutSample;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Fleets of all kinds are rolled step by step, with what can happen to nodes on the way: healthy,
 * halted, behind for a moment or for long, never Ready, corrupt, paused.
 */
class RolloutPolicyPropertyTest {

  private static final int STEPS = 20_000;

  static IntStream seeds() {
    return Cases.seeds(100, 400);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void everyRolloutStaysWithinItsLimitsAndEnds(int seed) {
    var fleet = new SimulatedFleet(new Random(seed));
    int steps = 0;
    while (!fleet.verdict().done()) {
      fleet.admit();
      fleet.heedObstacle();
      fleet.disturb();
      Invariants.comesToRest(steps++, STEPS, () -> "seed " + seed);
    }
    fleet.assertEveryTurnHasCome();
  }

  /** A node as it is, of which the policy sees a view. */
  private static final class SimulatedNode {
    final int ordinal;

    /** Never Ready again, whatever it is given. */
    boolean corrupt;

    boolean neverReady;
    boolean mayRun = true;
    String given = FleetNodeSample.OLD;
    String running = FleetNodeSample.OLD;
    Instant readySince;
    String stall;
    boolean paused;

    /** Taken while it ran and had been Ready a moment ago, and not Ready since. */
    boolean takenDown;

    SimulatedNode(int ordinal, int kind) {
      this.ordinal = ordinal;
      switch (kind) {
        case 0 -> halt();
        case 1 -> readySince = null;
        case 2 -> stall = "Unknown";
        case 3 -> neverReady = true;
        case 4 -> becomeCorrupt();
        default -> readySince = NodeSample.LONG_AGO;
      }
    }

    void halt() {
      readySince = null;
      mayRun = false;
    }

    void becomeCorrupt() {
      halt();
      corrupt = true;
      stall = "CrashLoop";
    }

    boolean isReady() {
      return readySince != null;
    }

    FleetNode view() {
      FleetNodeSample node = aFleetNode(ordinal).given(given).runs(running);
      node = isReady() ? node.readySince(readySince) : node.behind();
      node = node.with(view -> view.withMayRun(mayRun).withNeverReady(neverReady));
      node = stall == null ? node : node.stalled(stall);
      return (paused ? node.paused() : node).build();
    }
  }

  private static final class SimulatedFleet {
    private final Random random;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final Limits limits;
    private Instant now = NodeSample.NOW;
    private Rollout rollout;

    SimulatedFleet(Random random) {
      this.random = random;
      int size = 1 + random.nextInt(12);
      int all = random.nextInt(10);
      for (int ordinal = 0; ordinal < size; ordinal++) {
        // Some fleets are all of one kind, as in a halt or a burst; in others most nodes are well.
        nodes.add(new SimulatedNode(ordinal, all < 4 ? all : random.nextInt(16)));
      }
      limits = RolloutSample.anyLimits(random, size);
      rollout =
          new Rollout(
              FleetNodeSample.NEW,
              NodeSample.NOW,
              views().stream()
                  .map(
                      node -> new RolloutNode(node.name(), null, node.isReady() || node.isBehind()))
                  .toList());
    }

    RolloutVerdict verdict() {
      rollout = RolloutRecord.corrected(rollout, views(), limits, now);
      return RolloutPolicy.decide(rollout, views(), limits, now);
    }

    private List<FleetNode> views() {
      return nodes.stream().map(SimulatedNode::view).toList();
    }

    private boolean isAdmitted(SimulatedNode node) {
      return node.given.equals(FleetNodeSample.NEW) || rollout.isAdmitted("fleet-" + node.ordinal);
    }

    void admit() {
      RolloutVerdict verdict = verdict();
      List<SimulatedNode> admitted =
          verdict.admit().stream().map(view -> nodes.get(view.ordinal())).toList();
      for (SimulatedNode node : admitted) {
        assertThat(node.ordinal).isGreaterThanOrEqualTo(limits.partition());
        assertThat(node.paused).isFalse();
        assertThat(isAdmitted(node)).isFalse();
        FleetNode view = node.view();
        node.takenDown = view.isReady() || view.isBehind();
      }
      rollout = RolloutPlanner.admitted(rollout, verdict.admit(), now);
      if (admitted.stream().anyMatch(node -> node.takenDown)) {
        assertLimit(this::isTakenDown, "by the rollout itself");
      }
      if (admitted.stream().anyMatch(SimulatedNode::isReady)) {
        assertLimit(this::isDown, "by themselves or taken");
        assertThat(nodes.stream().filter(this::isFreeAndWaiting)).isEmpty();
      }
    }

    private void assertLimit(Predicate<SimulatedNode> isDown, String how) {
      Invariants.limitOfUnavailableNodesHolds(
          nodes.stream().filter(isDown).map(node -> node.ordinal).toList(),
          limits.maxUnavailable(),
          () -> how);
    }

    private boolean isTakenDown(SimulatedNode node) {
      boolean back = node.running.equals(FleetNodeSample.NEW) && node.isReady();
      return node.takenDown && isAdmitted(node) && !back && !node.paused && !node.neverReady;
    }

    private boolean isDown(SimulatedNode node) {
      boolean taken = isAdmitted(node) && !node.running.equals(FleetNodeSample.NEW);
      return !node.paused && !node.neverReady && (!node.isReady() || taken);
    }

    private boolean isFreeAndWaiting(SimulatedNode node) {
      return !node.isReady()
          && (node.neverReady || !node.mayRun)
          && !isAdmitted(node)
          && !node.paused
          && node.ordinal >= limits.partition();
    }

    /** Takes the node that a rollout waits for out of service, as a user would. */
    void heedObstacle() {
      RolloutVerdict verdict = verdict();
      boolean stuck =
          verdict.admit().isEmpty()
              && !verdict.admitted()
              && verdict.stalled().isEmpty()
              && nodes.stream()
                  .noneMatch(node -> isAdmitted(node) && !node.corrupt && !isSettled(node))
              && nodes.stream().noneMatch(node -> node.view().isBehind());
      if (stuck) {
        assertThat(verdict.obstacle()).as("what a rollout that is stuck waits for").isPresent();
      }
      verdict
          .obstacle()
          .map(node -> nodes.get(node.ordinal()))
          .filter(node -> node.corrupt)
          .ifPresent(node -> node.paused = true);
    }

    private boolean isSettled(SimulatedNode node) {
      return node.paused
          || node.running.equals(FleetNodeSample.NEW)
              && node.isReady()
              && !node.readySince.plus(limits.longestMinReady()).isAfter(now);
    }

    /** Time passes, and something happens to some node. */
    void disturb() {
      now = now.plusSeconds(1);
      SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
      if (node.paused) {
        node.paused = node.corrupt || random.nextInt(4) != 0;
      } else if (random.nextInt(40) == 0) {
        node.paused = true;
        node.readySince = null;
        node.stall = node.corrupt ? node.stall : null;
      } else if (isAdmitted(node) && !node.running.equals(FleetNodeSample.NEW)) {
        converge(node);
      } else if (!node.corrupt) {
        wobble(node);
      }
    }

    /** A node loses and regains readiness as it likes; some halt, and are helped. */
    private void wobble(SimulatedNode node) {
      if (node.stall != null) {
        node.stall = random.nextBoolean() ? null : node.stall;
      } else if (!node.isReady() && random.nextBoolean()) {
        node.readySince = now;
        node.mayRun = true;
        node.neverReady = false;
      } else if (random.nextInt(20) == 0) {
        node.readySince = null;
        node.mayRun = node.mayRun && random.nextInt(3) != 0;
      }
    }

    private void converge(SimulatedNode node) {
      if (!node.given.equals(FleetNodeSample.NEW)) {
        node.given = FleetNodeSample.NEW;
        return;
      }
      node.running = FleetNodeSample.NEW;
      node.readySince = null;
      if (!node.corrupt) {
        node.mayRun = true;
        node.stall = random.nextInt(4) == 0 ? "ImagePull" : null;
      }
    }

    void assertEveryTurnHasCome() {
      assertThat(nodes)
          .filteredOn(node -> node.ordinal >= limits.partition() && !node.paused)
          .allMatch(node -> node.running.equals(FleetNodeSample.NEW));
      for (SimulatedNode node : nodes) {
        Invariants.partitionHolds(
            node.ordinal, limits.partition(), node.given, FleetNodeSample.OLD);
      }
    }
  }
}
