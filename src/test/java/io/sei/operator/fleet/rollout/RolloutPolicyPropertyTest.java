package io.sei.operator.fleet.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.UpdateStrategy.OnStall;
import io.sei.operator.fleet.Fleets;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.Limits;
import io.sei.operator.fleet.model.RolloutVerdict;
import io.sei.operator.testkit.Cases;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Fleets of all kinds are rolled step by step, with what can happen to nodes on the way. */
class RolloutPolicyPropertyTest {

  private static final int STEPS = 5000;

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
      fleet.disturb();
      assertThat(steps++).as("seed %d: steps", seed).isLessThan(STEPS);
    }
    fleet.assertEveryTurnHasCome();
  }

  /** A node as it is, of which the policy sees a view. */
  private static final class SimulatedNode {
    final int ordinal;
    final boolean wasAvailable;
    String given = Fleets.OLD;
    String running = Fleets.OLD;
    Instant readySince;
    Instant admittedAt;
    String stall;
    boolean paused;

    SimulatedNode(int ordinal, boolean ready) {
      this.ordinal = ordinal;
      this.wasAvailable = ready;
      this.readySince = ready ? Fleets.LONG_AGO : null;
    }

    FleetNode view() {
      FleetNode node = Fleets.node(ordinal, given, running, readySince != null);
      node = readySince == null ? node : Fleets.readySince(node, readySince);
      node = stall == null ? node : Fleets.stalled(node, stall);
      return paused ? Fleets.paused(node) : node;
    }
  }

  private static final class SimulatedFleet {
    private final Random random;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final Limits limits;
    private Instant now = Fleets.NOW;

    SimulatedFleet(Random random) {
      this.random = random;
      int size = 1 + random.nextInt(12);
      boolean halted = random.nextInt(4) == 0;
      for (int ordinal = 0; ordinal < size; ordinal++) {
        nodes.add(new SimulatedNode(ordinal, !halted && random.nextInt(5) != 0));
      }
      limits =
          new Limits(
              1 + random.nextInt(size + 1),
              random.nextInt(3) == 0 ? random.nextInt(size + 1) : 0,
              Duration.ofSeconds(random.nextInt(3) * 5L),
              Duration.ofSeconds(600),
              OnStall.HOLD);
    }

    RolloutVerdict verdict() {
      return RolloutPolicy.decide(rollout(), views(), limits, now);
    }

    private Rollout rollout() {
      return new Rollout(
          Fleets.NEW,
          Fleets.NOW,
          nodes.stream()
              .map(
                  node ->
                      new RolloutNode(
                          Fleets.name(node.ordinal), node.admittedAt, node.wasAvailable))
              .toList());
    }

    private List<FleetNode> views() {
      return nodes.stream().map(SimulatedNode::view).toList();
    }

    void admit() {
      List<SimulatedNode> admitted =
          verdict().admit().stream().map(view -> nodes.get(view.ordinal())).toList();
      boolean stalled = nodes.stream().anyMatch(node -> node.stall != null && !node.paused);
      if (stalled) {
        assertThat(admitted).isEmpty();
      }
      for (SimulatedNode node : admitted) {
        assertThat(node.ordinal).isGreaterThanOrEqualTo(limits.partition());
        assertThat(node.paused).isFalse();
        assertThat(node.admittedAt).isNull();
      }
      boolean tookHealthy = admitted.stream().anyMatch(node -> node.readySince != null);
      admitted.forEach(node -> node.admittedAt = now);
      if (tookHealthy) {
        assertThat(nodes.stream().filter(this::isUnavailable).count())
            .isLessThanOrEqualTo(limits.maxUnavailable());
        assertThat(nodes.stream().filter(this::isFreeAndWaiting)).isEmpty();
      }
    }

    /** Healthy before, and not Ready now or about to be taken down. */
    private boolean isUnavailable(SimulatedNode node) {
      boolean taken = node.admittedAt != null && !Fleets.NEW.equals(node.running);
      return node.wasAvailable && !node.paused && (node.readySince == null || taken);
    }

    private boolean isFreeAndWaiting(SimulatedNode node) {
      return node.readySince == null
          && node.admittedAt == null
          && !node.paused
          && node.ordinal >= limits.partition();
    }

    /** Time passes, and something happens to some node. */
    void disturb() {
      now = now.plusSeconds(1);
      SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
      if (node.paused) {
        node.paused = random.nextInt(4) != 0;
      } else if (random.nextInt(40) == 0) {
        node.paused = true;
        node.readySince = null;
        node.stall = null;
      } else if (node.stall != null) {
        node.stall = random.nextBoolean() ? null : node.stall;
      } else if (node.admittedAt == null) {
        wobble(node);
      } else {
        converge(node);
      }
    }

    /** A node that is not rolled loses and regains readiness as it likes. */
    private void wobble(SimulatedNode node) {
      if (node.readySince == null) {
        node.readySince = random.nextBoolean() ? now : null;
      } else if (random.nextInt(20) == 0) {
        node.readySince = null;
      }
    }

    private void converge(SimulatedNode node) {
      if (!node.given.equals(Fleets.NEW)) {
        node.given = Fleets.NEW;
      } else if (!node.running.equals(Fleets.NEW)) {
        node.running = Fleets.NEW;
        node.readySince = null;
        node.stall = random.nextInt(4) == 0 ? "ImagePull" : null;
      } else if (node.readySince == null) {
        node.readySince = now;
      }
    }

    void assertEveryTurnHasCome() {
      assertThat(nodes)
          .filteredOn(node -> node.ordinal >= limits.partition() && !node.paused)
          .allMatch(node -> node.running.equals(Fleets.NEW));
      assertThat(nodes)
          .filteredOn(node -> node.ordinal < limits.partition())
          .allMatch(node -> node.given.equals(Fleets.OLD));
    }
  }
}
