package io.sei.operator.fleet.disruption;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.B;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static io.sei.operator.testkit.samples.FleetSample.template;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.sei.operator.api.v1alpha1.FleetConfiguration;
import io.sei.operator.api.v1alpha1.FleetDataVolume;
import io.sei.operator.api.v1alpha1.FleetDataVolume.Snapshots;
import io.sei.operator.api.v1alpha1.FleetSnapshots;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Phase;
import io.sei.operator.api.v1alpha1.FleetSnapshots.Run;
import io.sei.operator.api.v1alpha1.FleetSnapshotsBuilder;
import io.sei.operator.api.v1alpha1.FleetSnapshotsRunBuilder;
import io.sei.operator.api.v1alpha1.Progress;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeidRun;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.fleet.feature.Disruption;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.snapshots.SnapshotAdmission;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.NodeConfiguration;
import io.sei.operator.testkit.samples.FleetSample;
import io.sei.operator.testkit.samples.NodeSample;
import io.sei.operator.testkit.samples.Samples;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every source of disruption beside every state of a node: of a fleet of three, fleet-2 is in the
 * state, and the cells are the ordinals that the source may take down now. A task is asked of each
 * node alone.
 */
class DisruptionTableTest {

  private static final RestartRequests RESTARTS =
      new RestartRequests(null, null, node -> true, node -> false, null);

  private static final Upgrade V2 = new Upgrade("v2", 100L, "sei:v2", true);
  private static final Upgrade EARLIER = new Upgrade("v1", 50L, "sei:v1", true);
  private static final SeidRun CRASHED =
      SeidRun.nothing()
          .with(
              seid ->
                  seid.crashedAt(NodeSample.LONG_AGO)
                      .crash("seid crashed")
                      .crashReason("CrashLoop"));
  private static final Map<String, String> CHANGED = Map.of("mempool.size", "10");

  @ParameterizedTest(name = "fleet-2 {0}, {1} at a time")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # fleet-2     | max | rollout | configuration | early | task  | snapshot
          ready         | 1   | 2       | 2             | 2     | 0 1 2 | 2
          ready         | 2   | 2 1     | 2             | 2 1   | 0 1 2 | 2
          paused        | 1   | 1       | 1 2           | 1     | 0 1   | 1
          paused        | 2   | 1 0     | 1 2           | 1     | 0 1   | 1
          held          | 1   | 2 1     | 1 2           | 1     | 0 1   | 1
          held          | 2   | 2 1 0   | 1 2           | 1     | 0 1   | 1
          to be held    | 1   | 1       | 1 2           | 1     | 0 1   | 1
          held, paused  | 1   | 1       | 1 2           | 1     | 0 1   | 1
          never ready   | 1   | 2 1     | 2             |       | 2     |
          never ready   | 2   | 2 1 0   | 2             | 1     | 0 1 2 | 1
          new and early | 1   | 2 1     | 1 2           |       | 2     |
          new and early | 2   | 2 1 0   | 1 2           | 1     | 0 1 2 | 1
          terminating   | 1   | 1       | 1             |       |       |
          terminating   | 2   | 1 0     | 1             | 1     | 0 1   | 1
          switching     | 1   |         |               |       |       |
          switching     | 2   | 2       | 2             | 2     | 0 1 2 | 1
          unconfirmed   | 1   |         |               | 2     |       |
          unconfirmed   | 2   | 2       | 2             | 2 1   | 0 1 2 | 1
          snapshotting  | 1   |         |               |       |       |
          snapshotting  | 2   | 2       | 2             | 2     | 0 1 2 |
          stalled       | 1   | 2       | 2             |       | 2     |
          stalled       | 2   | 2 1     | 2             | 1     | 0 1 2 | 1
          not ready     | 1   | 2       | 2             |       | 2     |
          not ready     | 2   | 2 1     | 2             | 1     | 0 1 2 | 1
          not running   | 1   | 2       | 2             |       | 2     |
          not running   | 2   | 2 1     | 2             | 1     | 0 1 2 | 1
          crashed       | 1   | 2       | 2             | 2     | 0 1 2 | 2
          missing       | 1   | 1       | 1             |       |       |
          missing       | 2   | 1 0     | 1             | 1     | 0 1   | 1
          leaving       | 1   | 1       | 1             | 1     | 0 1 2 | 1
          leaving       | 2   | 1 0     | 1             | 1 0   | 0 1 2 | 1
          leaving, down | 1   | 2       | 2             |       | 2     |
          leaving, down | 2   | 2 1     | 2             | 1     | 0 1 2 | 1
          all leaving   | 2   |         |               |       | 0 1 2 |
          """)
  void everySourceCountsEveryState(
      String state,
      int max,
      String rollout,
      String configuration,
      String early,
      String task,
      String snapshot) {
    assertThat(
            Stream.of(
                    ofRollout(
                        live(
                            fleet(state, max).spec(spec -> spec.withTemplate(template(B))), state)),
                    ofConfiguration(live(configured(fleet(state, max)), state)),
                    ofEarlyUpgrade(live(listing(fleet(state, max)), state)),
                    ofTask(live(fleet(state, max), state)),
                    ofSnapshot(live(scheduled(fleet(state, max), state), state)))
                .collect(Collectors.joining(" | ")))
        .isEqualTo(
            Stream.of(rollout, configuration, early, task, snapshot)
                .map(cell -> cell == null ? "" : cell)
                .collect(Collectors.joining(" | ")));
  }

  /** The fleet with its Kubernetes nodes read live; those that leave are cordoned. */
  private static FleetView live(FleetSample fleet, String state) {
    Stream<Integer> leaving =
        switch (state) {
          case "leaving", "leaving, down" -> Stream.of(2);
          case "all leaving" -> Stream.of(0, 1, 2);
          default -> Stream.of();
        };
    return fleet
        .view()
        .withLeaving(
            leaving.collect(
                Collectors.toMap(
                    ordinal -> "fleet-" + ordinal, any -> "Kubernetes node m-1 is cordoned")));
  }

  /**
   * In a fleet of three, a source has taken down fleet-2, and later sources want the other nodes. A
   * configuration that is due takes it down next. A node that is paused or held failed before.
   */
  @ParameterizedTest(name = "{0} {1}, {2} at a time")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # fleet-2               | max | configuration | early | task  | snapshot
          rollout       | goes on | 2   |               |       |       |
          template      | changed | 2   | all           |       |       |
          rollout       | stalled | 2   | 2             | 1     | 0 1 2 | 1
          rollout       | stalled | 1   | 2             |       | 2     |
          configuration | goes on | 2   | 2             |       |       |
          due           | goes on | 2   | 2             |       |       |
          due           | refused | 2   | 2             | 2 1   | 0 1 2 | 2
          rollout       | refused | 2   | 2             | 2     | 0 1 2 | 2
          configuration | stalled | 2   | 2             | 1     | 0 1 2 | 1
          configuration | stalled | 1   | 2             |       | 2     |
          rollout       | paused  | 1   | 1 2           | 1     | 0 1   | 1
          configuration | paused  | 1   | 2             | 1     | 0 1   | 1
          configuration | held    | 1   | 2             | 1     | 0 1   | 1
          early         | goes on | 2   | 2             | 2 1   |       |
          early         | stalled | 2   | 2             | 2 1   | 0 1 2 | 1
          early         | new     | 1   | 1 2           | 2     | 2     |
          task          | goes on | 2   | 2             | 2     | 0 1 2 |
          task          | unread  | 2   | 1             | 1     | 0 1   | 1
          task          | deleted | 2   | 1             | 1     | 0 1   | 1
          """)
  void laterSourceWaitsForAnEarlierOne(
      String source,
      String state,
      int max,
      String configuration,
      String early,
      String task,
      String snapshot) {
    assertThat(
            Stream.of(
                    ofConfiguration(configured(taken(source, state, max)).view()),
                    ofEarlyUpgrade(listing(taken(source, state, max)).view()),
                    ofTask(taken(source, state, max).view()),
                    ofSnapshot(scheduled(taken(source, state, max), state).view()))
                .collect(Collectors.joining(" | ")))
        .isEqualTo(
            Stream.of(configuration, early, task, snapshot)
                .map(cell -> cell == null ? "" : cell)
                .collect(Collectors.joining(" | ")));
  }

  /**
   * The record of a source is written after its pass; a later source must not take a node in it.
   */
  @Test
  void laterSourceWaitsForOneThatTookANodeInTheSamePass() {
    FleetView view =
        fleet("ready", 2).view().withTaken(Map.of("fleet-2", Disruption.EARLY_UPGRADE));

    assertThat(ofTask(view)).isEmpty();
    assertThat(Disruptions.of(view).obstacle(Disruption.TASK))
        .contains("the early upgrade at fleet-2 is not complete");
  }

  /** The cache of tasks is not filled yet. */
  @Test
  void requestOfATaskThatIsNotKnownIsNotGranted() {
    var unknown = new RestartRequests(null, null, node -> false, node -> false, null);
    FleetSample fleet =
        fleet(1, node -> node.annotation(Annotations.SEID_RESTART_REQUESTED, "request"));

    assertThat(unknown.granted(fleet.view())).isEmpty();
    assertThat(RESTARTS.granted(fleet.view())).hasSize(1);
  }

  private static FleetSample taken(String source, String state, int max) {
    FleetSample fleet = takenBy(source, state, max);
    return state.equals("refused")
        ? fleet.status(
            status -> status.withProgress(new Progress("ApplyRefused", NodeSample.LONG_AGO, null)))
        : fleet;
  }

  private static FleetSample takenBy(String source, String state, int max) {
    boolean isStalled = state.equals("stalled");
    boolean hasFailed = isStalled || state.equals("paused") || state.equals("held");
    UnaryOperator<NodeSample> down =
        switch (state) {
          case "stalled" -> node -> node.stalled("CrashLoop");
          case "paused" -> NodeSample::paused;
          case "held" -> NodeSample::held;
          case "new" -> node -> node.neverReady().overrides(CHANGED);
          case "deleted" -> NodeSample::terminating;
          case "unread" -> DisruptionTableTest::unread;
          default -> node -> node;
        };
    return switch (source) {
      case "rollout" ->
          fleet(max, hasFailed ? down : node -> node.stillRuns(B))
              .status(status -> status.withRollout(rollout(hasFailed ? "CrashLoop" : null)));
      case "template" -> fleet("ready", max).spec(spec -> spec.withTemplate(template(B)));
      case "due" -> configured(fleet("ready", max));
      case "configuration" ->
          configured(
                  fleet(
                      max,
                      node -> (hasFailed ? down.apply(node) : node.outdated()).overrides(CHANGED)))
              .status(status -> status.withConfiguration(awaited()));
      case "early" -> listing(fleet(max, node -> down.apply(node).upgrades(V2)));
      case "task" ->
          fleet(max, node -> down.apply(node).annotation(Annotations.SEID_RESTART, "id"));
      default -> throw new IllegalArgumentException(source);
    };
  }

  private static NodeSample unread(NodeSample node) {
    return NodeSample.aNode(Samples.unreadable(node.build(), "spec"));
  }

  /** Runs the image of the upgrade, and has been Ready for nine of ten seconds. */
  private static NodeSample unconfirmed(NodeSample node) {
    return node.upgrades(V2)
        .status(
            status ->
                status
                    .withUpgrades(
                        List.of(UpgradeStatus.scheduled(V2).withState(UpgradeState.APPLIED)))
                    .withSeid(
                        SeidRun.nothing()
                            .withReadyAt(NodeSample.NOW.minusSeconds(9))
                            .withCaughtUpAt(NodeSample.NOW.minusSeconds(9))));
  }

  private static FleetConfiguration awaited() {
    return new FleetConfiguration(
        NodeConfiguration.of(template(A).spec().withOverrides(CHANGED)).digest(),
        FleetSample.hash(A),
        List.of("fleet-2"),
        "fleet-2",
        null,
        null);
  }

  private static Rollout rollout(String stalledOn) {
    return new Rollout(
        FleetSample.hash(A),
        NodeSample.LONG_AGO,
        IntStream.range(0, 3)
            .mapToObj(
                ordinal ->
                    new RolloutNode("fleet-" + ordinal, NodeSample.LONG_AGO, true)
                        .withStalledOn(ordinal == 2 ? stalledOn : null))
            .toList());
  }

  private static FleetSample fleet(String state, int max) {
    FleetSample fleet = fleet(max, as(state));
    return state.equals("snapshotting")
        ? fleet.status(status -> status.withSnapshots(FleetSnapshots.empty().withActive(run())))
        : fleet;
  }

  private static FleetSample fleet(int max, UnaryOperator<NodeSample> fleet2) {
    var inPlace = new InPlace(new IntOrString(max), null, null, null, null);
    FleetSample fleet =
        aFleet(3, A)
            .child(0, A)
            .child(1, A)
            .spec(
                spec ->
                    spec.withUpdateStrategy(
                        new UpdateStrategy(UpdateStrategy.Type.IN_PLACE, inPlace, null)));
    return fleet2 == null ? fleet : fleet.child(2, A, fleet2);
  }

  private static Run run() {
    return FleetSnapshotsRunBuilder.builder()
        .node("fleet-2")
        .snapshot("fleet-2-1")
        .phase(Phase.STOPPING)
        .stoppedAt(NodeSample.NOW)
        .deadline(NodeSample.NOW.plusSeconds(600))
        .build();
  }

  private static UnaryOperator<NodeSample> as(String state) {
    return switch (state) {
      case "ready", "snapshotting", "leaving", "all leaving" -> node -> node;
      case "paused" -> NodeSample::paused;
      case "held" -> NodeSample::held;
      case "to be held" -> node -> node.held().ready();
      case "held, paused" -> node -> node.held().paused();
      case "never ready" -> NodeSample::neverReady;
      case "new and early" -> node -> node.neverReady().upgrades(EARLIER).overrides(CHANGED);
      case "terminating" -> NodeSample::terminating;
      case "switching" -> node -> node.upgrades(EARLIER);
      case "unconfirmed" -> DisruptionTableTest::unconfirmed;
      case "stalled" -> node -> node.stalled("NodeLost");
      case "not ready", "leaving, down" -> node -> node.unready("PodNotReady");
      case "not running" -> node -> node.unready("NoPod");
      case "crashed" -> node -> node.status(status -> status.withSeid(CRASHED));
      case "missing" -> null;
      default -> throw new IllegalArgumentException(state);
    };
  }

  private static FleetSample configured(FleetSample fleet) {
    var earlier = new FleetConfiguration("earlier", FleetSample.hash(A), null, null, null, null);
    return fleet
        .template(spec -> spec.withOverrides(CHANGED))
        .status(
            status -> status.configuration() == null ? status.withConfiguration(earlier) : status);
  }

  private static FleetSample listing(FleetSample fleet) {
    return fleet.template(spec -> spec.withUpgrades(List.of(V2)));
  }

  private static FleetSample scheduled(FleetSample fleet, String state) {
    FleetSnapshots due =
        FleetSnapshotsBuilder.builder()
            .schedule("0 * * * *")
            .nextScheduleTime(NodeSample.NOW)
            .active(state.equals("snapshotting") ? run() : null)
            .build();
    return fleet
        .spec(
            spec ->
                spec.withDataVolume(
                    new FleetDataVolume(new Snapshots("0 * * * *", "class", null, null))))
        .status(status -> status.withSnapshots(due));
  }

  private static String ofRollout(FleetView fleet) {
    Rollout rollout = RolloutPlanner.wanted(fleet).orElseThrow();
    return ordinals(
        RolloutPolicy.decide(rollout, fleet.fleet(), fleet.limits(), fleet.now()).admit().stream()
            .map(FleetNode::name));
  }

  private static String ofConfiguration(FleetView fleet) {
    FleetConfiguration next = ConfigurationOrder.of(fleet, false).next();
    return next.nodes() == null ? "all" : ordinals(next.nodes().stream());
  }

  private static String ofEarlyUpgrade(FleetView fleet) {
    EarlyUpgrades early = EarlyUpgrades.of(fleet, entry -> Optional.of(true));
    return ordinals(
        Stream.of(2, 1, 0)
            .filter(
                ordinal -> early.restrict(fleet.template(), ordinal).spec().upgrades().contains(V2))
            .map(ordinal -> "fleet-" + ordinal));
  }

  private static String ofTask(FleetView fleet) {
    return ordinals(
        fleet.children().stream()
            .map(FleetView.Child::node)
            .filter(node -> isGranted(fleet, node))
            .map(node -> node.getMetadata().getName()));
  }

  private static boolean isGranted(FleetView fleet, SeiNode node) {
    Map<String, String> before = node.getMetadata().getAnnotations();
    var requesting = new HashMap<String, String>(before == null ? Map.of() : before);
    requesting.put(Annotations.SEID_RESTART_REQUESTED, "request");
    node.getMetadata().setAnnotations(requesting);
    boolean isGranted = !RESTARTS.granted(fleet).isEmpty();
    node.getMetadata().setAnnotations(before);
    return isGranted;
  }

  private static String ofSnapshot(FleetView fleet) {
    return ordinals(SnapshotAdmission.of(fleet).stream());
  }

  private static String ordinals(Stream<String> names) {
    return names.map(name -> name.substring("fleet-".length())).collect(Collectors.joining(" "));
  }
}
