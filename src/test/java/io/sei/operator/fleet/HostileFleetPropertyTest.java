package io.sei.operator.fleet;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.B;
import static io.sei.operator.testkit.samples.FleetSample.C;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static io.sei.operator.testkit.samples.FleetSample.hash;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlanTargetBuilder;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.fleet.disruption.RolloutPlan;
import io.sei.operator.fleet.disruption.RolloutPlanner;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.RolloutDecision;
import io.sei.operator.fleet.feature.TemplateAssignment;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.HostileInput;
import io.sei.operator.testkit.Invariants;
import io.sei.operator.testkit.samples.FleetSample;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever a fleet's status says, no more of its healthy nodes are taken than allowed. */
class HostileFleetPropertyTest {

  private static final int FLEETS = 15;
  private static final int RECONCILES = 150;
  private static final List<String> IMAGES = List.of(A, B, C);
  private static final String NOBODYS = "v1-0000000000000000";
  private static final Map<String, String> POD_HASHES =
      IMAGES.stream().collect(Collectors.toMap(image -> image, HostileFleetPropertyTest::podHash));
  private static final List<String> TEXTS =
      HostileInput.withOddTexts(
          List.of(hash(A), hash(B), hash(C), NOBODYS),
          "fleet-0",
          "fleet-1",
          RolloutPlan.UPDATE_NODE_SPECS,
          RolloutPlan.AWAIT_SPEC_UPDATE,
          "Paused",
          "Stalled",
          "Ready");
  private static final Instant[] MOMENTS = {
    null,
    Instant.EPOCH,
    NodeSample.LONG_AGO,
    NodeSample.NOW.plusSeconds(1),
    Instant.MIN,
    Instant.MAX
  };

  static IntStream seeds() {
    return Cases.seeds(1, 8);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void everyStatusComesToRestWithinTheLimits(int seed) {
    var random = new Random(seed);
    for (int i = 0; i < FLEETS; i++) {
      var fleet = new SimulatedFleet(random);
      SeiNodeDeploymentStatus written = fleet.status;
      try {
        fleet.runToRest();
      } catch (Throwable e) {
        throw new AssertionError("seed %d, fleet %d: %s".formatted(seed, i, written), e);
      }
    }
  }

  private static String podHash(String image) {
    return aFleet(1, image).ready().view().children().get(0).node().getStatus().podSpecHash();
  }

  private static final class SimulatedNode {
    String given;
    String running;
    boolean ready;
    boolean healthy;
    private final boolean broken;

    SimulatedNode(String image, boolean ready) {
      this.given = image;
      this.running = image;
      this.ready = ready;
      this.healthy = ready;
      this.broken = !ready;
    }

    /** One step of its own way to what it was given; whether there was one. */
    boolean converge() {
      if (!running.equals(given)) {
        running = given;
        ready = false;
        return true;
      }
      boolean starts = !broken && !ready;
      ready = ready || starts;
      healthy = healthy || starts;
      return starts;
    }

    boolean isTaken() {
      return healthy && (!ready || !running.equals(given));
    }

    boolean isMoving() {
      return !running.equals(given) || (!ready && !broken);
    }

    UnaryOperator<NodeSample> asObserved() {
      String hash = POD_HASHES.get(running);
      return node ->
          (ready ? node : node.unready("PodNotReady"))
              .status(status -> status.withPodSpecHash(hash));
    }
  }

  private static final class SimulatedFleet {
    private final Random random;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final int maxUnavailable;
    private final int partition;
    private int spoilsLeft;
    private SeiNodeDeploymentStatus status;

    SimulatedFleet(Random random) {
      this.random = random;
      int size = 2 + random.nextInt(4);
      for (int i = 0; i < size; i++) {
        String image = random.nextInt(3) == 0 ? IMAGES.get(random.nextInt(3)) : A;
        nodes.add(new SimulatedNode(image, random.nextInt(6) != 0));
      }
      maxUnavailable = 1 + random.nextInt(2);
      partition = random.nextInt(3) == 0 ? random.nextInt(size) : 0;
      spoilsLeft = random.nextInt(3);
      status = spoiled();
    }

    void runToRest() {
      for (int i = 0; ; i++) {
        Invariants.comesToRest(i, RECONCILES, () -> String.valueOf(status));
        SeiNodeDeploymentStatus before = status;
        reconcile();
        boolean moved = false;
        for (SimulatedNode node : nodes) {
          moved |= random.nextBoolean() ? node.converge() : node.isMoving();
        }
        Invariants.limitOfUnavailableNodesHolds(
            nodes.stream().filter(SimulatedNode::isTaken).toList(),
            maxUnavailable,
            () -> "only those that were healthy count, after " + before);
        if (spoilsLeft > 0 && random.nextInt(10) == 0) {
          spoilsLeft--;
          status = spoiled();
          // Whether one that is on its way was healthy is known from the status alone.
          nodes.forEach(node -> node.healthy = node.healthy && !node.isTaken());
        } else if (!moved && before.equals(status)) {
          assertRest();
          return;
        }
      }
    }

    private void assertRest() {
      boolean brokenOne = nodes.stream().anyMatch(node -> !node.ready);
      // What ends a snapshot or a configuration is not simulated; a node taken for one counts.
      boolean snapshotting = status.snapshots() != null && status.snapshots().active() != null;
      boolean configuring =
          status.configuration() != null && status.configuration().awaited() != null;
      assertThat(status.rollout() == null || brokenOne || snapshotting || configuring)
          .as("%s", status)
          .isTrue();
      if (status.rollout() == null) {
        String target =
            status.failedTemplateHash() == null ? hash(B) : status.completedTemplateHash();
        assertThat(nodes.subList(partition, nodes.size()))
            .allMatch(node -> hash(node.given).equals(target));
      }
    }

    private void reconcile() {
      FleetView view = snapshot();
      var reconcile = new FleetPass(view, live -> live);
      RolloutDecision decision = RolloutPlanner.decide(view);
      if (decision instanceof RolloutDecision.Persist persist) {
        reconcile.update(status -> persist.status());
      } else {
        sync(view);
      }
      if (decision instanceof RolloutDecision.Continue proceed) {
        reconcile.judged(proceed.verdict(), proceed.plan());
        reconcile.update(status -> proceed.status());
      }
      SeiNodeDeploymentStatus written = FleetStatus.of(reconcile, OfflineFleet.CONDITIONS);
      FleetEvents.between(view.stored(), written, OfflineFleet.CONDITIONS);
      reconcile
          .recheck()
          .ifPresent(after -> assertThat(after).isGreaterThanOrEqualTo(Duration.ZERO));
      Invariants.messagesFit(written.conditions());
      status = written;
    }

    private void sync(FleetView view) {
      for (int ordinal = 0; ordinal < nodes.size(); ordinal++) {
        SimulatedNode node = nodes.get(ordinal);
        String image = TemplateAssignment.of(view, ordinal).orElseThrow().spec().image();
        Invariants.partitionHolds(ordinal, partition, image, node.given);
        node.given = image;
      }
    }

    private FleetView snapshot() {
      var limits = new InPlace(new IntOrString(maxUnavailable), partition, null, null, null);
      var strategy = new UpdateStrategy(UpdateStrategy.Type.IN_PLACE, limits, null);
      FleetSample fleet =
          aFleet(nodes.size(), B)
              .spec(spec -> spec.withUpdateStrategy(strategy))
              .annotation(Annotations.EXPLAIN, "fleet-0")
              .status(annotation -> status);
      for (String image : IMAGES) {
        fleet = fleet.kept(image);
      }
      for (int ordinal = 0; ordinal < nodes.size(); ordinal++) {
        SimulatedNode node = nodes.get(ordinal);
        fleet = fleet.child(ordinal, node.given, node.asObserved());
      }
      return fleet.view();
    }

    /**
     * Most have a rollout that is nearly right, for nothing gets far with one that is all wrong.
     */
    private SeiNodeDeploymentStatus spoiled() {
      var records = new HostileInput(random, TEXTS, random.nextBoolean());
      SeiNodeDeploymentStatus any = records.make(SeiNodeDeploymentStatus.class);
      Rollout rollout = random.nextInt(4) == 0 ? any.rollout() : forged();
      Rollout aside = random.nextInt(3) == 0 ? forged() : any.pausedRollout();
      TaskPlan plan = random.nextBoolean() ? any.plan() : likely(records.make(TaskPlan.class));
      // A node that was given a template and has not begun with it is counted for that one alone.
      boolean oneTarget = spoilsLeft > 0 || nodes.stream().anyMatch(SimulatedNode::isTaken);
      return any.with(
          builder ->
              builder
                  .rollout(random.nextInt(5) == 0 ? null : rollout)
                  .pausedRollout(aside)
                  .plan(plan)
                  .failedTemplateHash(oneTarget ? null : any.failedTemplateHash()));
    }

    private TaskPlan likely(TaskPlan plan) {
      return plan.with(
          builder ->
              builder
                  .phase(PlanPhase.ACTIVE)
                  .kind(random.nextInt(4) == 0 ? plan.kind() : PlanKind.ROLLOUT)
                  .target(PlanTargetBuilder.builder().specHash(hash(B)).build()));
    }

    private Rollout forged() {
      String target = random.nextInt(3) == 0 ? TEXTS.get(random.nextInt(4)) : hash(B);
      boolean everyTurn = random.nextBoolean();
      List<RolloutNode> turns =
          random.nextInt(6) == 0
              ? null
              : Stream.concat(IntStream.range(0, nodes.size()).boxed(), Stream.of(0, 99))
                  .filter(ordinal -> everyTurn || random.nextInt(4) != 0)
                  .map(ordinal -> turn(ordinal, everyTurn))
                  .toList();
      return new Rollout(target, moment(), turns);
    }

    private RolloutNode turn(int ordinal, boolean everyTurn) {
      Instant admittedAt = everyTurn ? NodeSample.LONG_AGO : moment();
      Boolean wasAvailable = Arrays.asList(null, false, true).get(random.nextInt(3));
      return new RolloutNode("fleet-" + ordinal, admittedAt, wasAvailable);
    }

    private Instant moment() {
      return MOMENTS[random.nextInt(MOMENTS.length)];
    }
  }
}
