package io.sei.operator.fleet;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.B;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static io.sei.operator.testkit.samples.FleetSample.hash;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Endpoints;
import io.sei.operator.api.v1alpha1.FleetChain;
import io.sei.operator.api.v1alpha1.FleetChain.NextUpgrade;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetConfiguration;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.api.v1alpha1.PerPodService;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.fleet.feature.Assigned;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.kube.OwnedObjects.Outcome.Foreign;
import io.sei.operator.kube.RefusedWrites;
import io.sei.operator.render.NodeConfiguration;
import io.sei.operator.render.ServiceRenderer;
import io.sei.operator.render.ServiceUrls;
import io.sei.operator.testkit.samples.FleetSample;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Conditions and phase of a fleet. */
class FleetConditionsTest {

  private static final String GENESIS = "GenesisCeremonyComplete";
  private static final Consumer<FleetPass> NOTHING = pass -> {};

  private static final Set<FleetConditionType> OF_A_FEATURE =
      EnumSet.of(
          FleetConditionType.UPGRADES_READY,
          FleetConditionType.SNAPSHOTS_HEALTHY,
          FleetConditionType.DATA_VOLUME_AT_RISK,
          FleetConditionType.NETWORKING_READY,
          FleetConditionType.GENESIS_CEREMONY_COMPLETE,
          FleetConditionType.PRODUCING);

  @Test
  void everyConditionOfAnyFleetIsAlwaysThereWithTheGeneration() {
    SeiNodeDeploymentStatus status = derive(aFleet(1, A), NOTHING);

    assertThat(status.conditions())
        .extracting(Condition::type)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(FleetConditionType.values())
                .filter(type -> !OF_A_FEATURE.contains(type))
                .map(Object::toString)
                .toList());
    assertThat(status.conditions()).allMatch(condition -> condition.observedGeneration() == 7L);
    assertThat(status.phase()).isEqualTo(FleetPhase.PENDING);
  }

  @Test
  void aFleetThatRunsWhatIsAskedForIsReadyAndUpToDate() {
    SeiNodeDeploymentStatus status = derive(aFleet(2, A).ready(), NOTHING);

    assertThat(says(status, "Ready")).isEqualTo("True/AllNodesReady");
    assertThat(says(status, "NodesReady")).isEqualTo("True/AllNodesReady");
    assertThat(says(status, "UpToDate")).isEqualTo("True/UpToDate");
    assertThat(says(status, "Stalled")).isEqualTo("False/NotStalled");
    assertThat(says(status, "RolloutInProgress")).isEqualTo("False/NotStarted");
    assertThat(says(status, "PlanInProgress")).isEqualTo("False/NotStarted");
    assertThat(says(status, "Paused")).isEqualTo("False/NotPaused");
    assertThat(status.phase()).isEqualTo(FleetPhase.READY);
    assertThat(status.updated()).isEqualTo("2/2");
  }

  @Test
  void aFleetIsNotUpToDateBeforeItsTemplateIsWrittenToTheNodes() {
    var fleet = aFleet(1, A).ready();

    SeiNodeDeploymentStatus written = derive(fleet, pass -> pass.assigned(Assigned.NOT_YET));

    assertThat(says(written, "UpToDate")).isEqualTo("False/Outdated");
    // Nobody looked, as with a status that is persisted before anything is done.
    assertThat(says(FleetStatus.of(fleet.pass(), OfflineFleet.CONDITIONS), "UpToDate"))
        .isEqualTo("False/Outdated");
    SeiNodeDeploymentStatus before = derive(fleet, NOTHING);
    assertThat(
            says(
                FleetStatus.of(fleet.status(status -> before).pass(), OfflineFleet.CONDITIONS),
                "UpToDate"))
        .isEqualTo("True/UpToDate");
  }

  @Test
  void aFleetIsNotUpToDateBeforeItsNodesHaveTheirConfiguration() {
    SeiNodeDeploymentStatus status =
        derive(aFleet(2, A).child(0, A).child(1, A, NodeSample::outdated), NOTHING);

    assertThat(says(status, "UpToDate")).isEqualTo("False/Outdated");
    assertThat(message(status, "UpToDate"))
        .isEqualTo("fleet-1 is not up to date yet; see its condition UpToDate");
    assertThat(says(status, "Ready")).isEqualTo("True/AllNodesReady");
  }

  @Test
  void aFleetWithANodeMissingIsNotReady() {
    SeiNodeDeploymentStatus status = derive(aFleet(2, A).child(0, A), NOTHING);

    assertThat(says(status, "Ready")).isEqualTo("False/NodesInitializing");
    assertThat(says(status, "UpToDate")).isEqualTo("False/Outdated");
    assertThat(status.readyReplicas()).isEqualTo(1);
  }

  @Test
  void reasonOfTheWorstNodeIsThatOfTheFleet() {
    SeiNodeDeploymentStatus status =
        derive(
            aFleet(3, A)
                .child(0, A, node -> node.unready("PodStarting"))
                .child(1, A, node -> node.stalled("ImagePull"))
                .child(2, A),
            NOTHING);

    assertThat(says(status, "Ready")).isEqualTo("False/PodNotReady");
    assertThat(message(status, "Ready")).isEqualTo("1/3 nodes ready; worst is fleet-1");
    assertThat(says(status, "NodesReady")).isEqualTo("False/NodesNotReady");
    assertThat(says(status, "Stalled")).isEqualTo("True/ImagePull");
    assertThat(message(status, "Stalled")).isEqualTo("fleet-1: the evidence");
    assertThat(status.phase()).isEqualTo(FleetPhase.DEGRADED);
  }

  @Test
  void aNodeThatCrashesIsWorseThanOneThatIsReplacedAsPlanned() {
    SeiNodeDeploymentStatus status =
        derive(
            aFleet(3, B)
                .status(
                    aFleet -> aFleet.withRollout(new Rollout(hash(B), NodeSample.LONG_AGO, null)))
                .child(0, A, node -> node.unready("PodReplacing"))
                .child(1, A, node -> node.unready("CrashLoop"))
                .child(2, A),
            NOTHING);

    assertThat(says(status, "UpToDate")).isEqualTo("False/RollingOut");
    assertThat(says(status, "Ready")).isEqualTo("False/CrashLoop");
    assertThat(FleetStatus.concluded(status, status, 7L, NodeSample.NOW).reason())
        .isEqualTo("CrashLoop");
  }

  @Test
  void whatColumnsShowOfAFleetIsNoHealthierThanItsNodes() {
    SeiNodeDeploymentStatus status =
        derive(
            aFleet(4, B)
                .child(0, A, node -> node.caughtUp(true, true))
                .child(1, B, node -> node.caughtUp(true, false))
                .child(2, B, node -> node.caughtUp(false, true)),
            NOTHING);

    assertThat(status.ready()).isEqualTo("2/4");
    assertThat(status.caughtUp()).isEqualTo("1/4");
    assertThat(status.image()).isEqualTo(A + "," + B);
    assertThat(status.mode()).isEqualTo("full");
    assertThat(status.updated()).isEqualTo("2/4");
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "no upgrade is known                  | 0       | 600 | false | false",
        "an upgrade is days away              | 1000000 | 600 | false | false",
        "days away, and the status is written | 1000000 | 1   | true  | true",
        "an upgrade is near                   | 1000    | 300 | false | true",
        "near, and written a moment ago       | 1000    | 299 | false | false",
        "near, and the status is written      | 1000    | 1   | true  | true",
        "the upgrade is behind                | 10      | 600 | false | false",
      })
  void theChainIsWrittenWithOtherChangesAndByItselfOnlyShortlyBeforeAnUpgrade(
      String what, long upgrade, long secondsAgo, boolean changed, boolean written) {
    NextUpgrade next = upgrade == 0 ? null : new NextUpgrade("v2", upgrade);
    SeiNodeDeploymentStatus before =
        FleetStatus.concluded(
            SeiNodeDeploymentStatus.empty(),
            derive(aFleet(1, A).ready(), NOTHING)
                .withChain(
                    new FleetChain(20L, NodeSample.NOW.minusSeconds(secondsAgo), "2.50", next)),
            7L,
            NodeSample.NOW);
    FleetChain heard = new FleetChain(40L, NodeSample.NOW, "2.50", next);

    SeiNodeDeploymentStatus after =
        FleetStatus.concluded(
            before,
            before.with(
                builder ->
                    builder.chain(heard).readyReplicas(changed ? 0 : before.readyReplicas())),
            7L,
            NodeSample.NOW);

    assertThat(after.chain()).isEqualTo(written ? heard : before.chain());
    assertThat(after.equals(before)).isEqualTo(!written);
  }

  @Test
  void nothingIsShownOfCatchingUpBeforeANodeHasAnswered() {
    assertThat(derive(aFleet(1, A).ready(), NOTHING).caughtUp()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    ", PodStarting, INITIALIZING",
    "PENDING, PodNotReady, INITIALIZING",
    "INITIALIZING, PodNotReady, INITIALIZING",
    "UPGRADING, PodNotReady, INITIALIZING",
    "PAUSED, PodNotReady, INITIALIZING",
    "READY, PodNotReady, DEGRADED",
    "DEGRADED, PodNotReady, DEGRADED"
  })
  void onlyAFleetThatWasReadyIsDegradedByANodeThatIsNot(
      FleetPhase before, String reason, FleetPhase after) {
    SeiNodeDeploymentStatus status =
        derive(
            aFleet(2, A)
                .child(0, A)
                .child(1, A, node -> node.unready(reason))
                .status(child -> child.withPhase(before)),
            NOTHING);

    assertThat(status.phase()).isEqualTo(after);
  }

  @Test
  void aFleetThatGrowsIsOnItsWayUp() {
    SeiNodeDeploymentStatus status =
        derive(
            aFleet(2, A).child(0, A).status(child -> child.withPhase(FleetPhase.READY)), NOTHING);

    assertThat(status.phase()).isEqualTo(FleetPhase.INITIALIZING);
  }

  @Test
  void aFleetOfWhichEveryNodeFailedHasFailed() {
    SeiNodeDeploymentStatus status = derive(aFleet(1, A).child(0, A, NodeSample::failed), NOTHING);

    assertThat(says(status, "NodesReady")).isEqualTo("False/NodesFailed");
    assertThat(status.phase()).isEqualTo(FleetPhase.FAILED);
  }

  @Test
  void rolloutIsInProgressUntilItEndsAndThenItsEndIsShown() {
    var rollout = new Rollout(hash(B), NodeSample.LONG_AGO, null);
    FleetSample rolling =
        aFleet(1, A).ready().image(B).status(status -> status.withRollout(rollout));

    SeiNodeDeploymentStatus during = derive(rolling, NOTHING);
    SeiNodeDeploymentStatus after =
        derive(
            aFleet(1, B).ready().status(status -> during),
            pass -> pass.update(status -> status.withRollout(null)));
    SeiNodeDeploymentStatus later = derive(aFleet(1, B).ready().status(status -> after), NOTHING);

    assertThat(says(during, "RolloutInProgress")).isEqualTo("True/TemplateChanged");
    assertThat(during.phase()).isEqualTo(FleetPhase.UPGRADING);
    assertThat(says(after, "RolloutInProgress")).isEqualTo("False/RolloutComplete");
    assertThat(says(later, "RolloutInProgress")).isEqualTo("False/RolloutComplete");
    assertThat(later).isEqualTo(after);
    assertThat(message(during)).isEqualTo("rolling out image " + B);
    assertThat(message(after)).isEqualTo("image " + B + " is rolled out");
  }

  @Test
  void configurationIsShownAsARollout() {
    Map<String, String> changed = Map.of("mempool.size", "10");
    var earlier = new FleetConfiguration("earlier", hash(A), null, null, null, null);
    FleetSample fleet =
        aFleet(1, A)
            .template(spec -> spec.withOverrides(changed))
            .child(0, A)
            .status(status -> status.withConfiguration(earlier));
    String digest = NodeConfiguration.of(fleet.view().template().spec()).digest();
    Rollout begun = Rollout.ofConfiguration(digest, hash(A), NodeSample.LONG_AGO);
    SeiNodeDeploymentStatus during = derive(fleet, NOTHING);
    SeiNodeDeploymentStatus later =
        derive(fleet.status(status -> status.withRollout(begun)), NOTHING);
    SeiNodeDeploymentStatus after = derive(aFleet(1, A).ready().status(status -> during), NOTHING);

    assertThat(says(during, "RolloutInProgress")).isEqualTo("True/ConfigurationChanged");
    assertThat(says(during, "UpToDate")).isEqualTo("False/RollingOut");
    assertThat(during.phase()).isEqualTo(FleetPhase.UPGRADING);
    assertThat(says(after, "RolloutInProgress")).isEqualTo("False/RolloutComplete");
    assertThat(message(after)).isEqualTo("every node has the configuration");
    assertThat(during.rollout()).isEqualTo(begun.withStartedAt(NodeSample.NOW));
    assertThat(later.rollout()).isEqualTo(begun);
    assertThat(after.rollout()).isNull();
  }

  @Test
  void rollbackIsShown() {
    var rollout = new Rollout(hash(A), NodeSample.LONG_AGO, null);
    FleetSample back =
        aFleet(1, A)
            .ready()
            .image(B)
            .kept(A)
            .status(status -> status.with(s -> s.rollout(rollout).failedTemplateHash(hash(B))));

    SeiNodeDeploymentStatus during = derive(back, NOTHING);
    SeiNodeDeploymentStatus after =
        derive(back, pass -> pass.update(status -> status.withRollout(null)));

    assertThat(says(during, "RolloutInProgress")).isEqualTo("True/RollingBack");
    assertThat(says(after, "RolloutInProgress")).isEqualTo("False/RolledBack");
    assertThat(message(during))
        .isEqualTo("image %s stalled; rolling back to image %s".formatted(B, A));
    assertThat(message(after)).isEqualTo("image " + A + " is restored");
    assertThat(says(after, "UpToDate")).isEqualTo("False/RolledBack");
    assertThat(after.phase()).isEqualTo(FleetPhase.DEGRADED);
  }

  @Test
  void pausedFleetAndPausedRolloutsAreDistinguished() {
    var held = new UpdateStrategy(UpdateStrategy.Type.IN_PLACE, null, true);
    SeiNodeDeploymentStatus rollouts =
        derive(aFleet(1, A).ready().spec(spec -> spec.withUpdateStrategy(held)), NOTHING);
    SeiNodeDeploymentStatus everything =
        derive(aFleet(1, A).ready().spec(spec -> spec.withPaused(true)), NOTHING);

    assertThat(says(rollouts, "Paused")).isEqualTo("True/Paused");
    for (SeiNodeDeploymentStatus status : new SeiNodeDeploymentStatus[] {rollouts, everything}) {
      assertThat(says(status, "RolloutInProgress")).isEqualTo("False/Paused");
      assertThat(says(status, "PlanInProgress")).isEqualTo("False/Paused");
      assertThat(status.phase()).isEqualTo(FleetPhase.PAUSED);
    }
    assertThat(says(rollouts, "NodesReady")).isEqualTo("True/AllNodesReady");
    assertThat(says(everything, "NodesReady")).isEqualTo("False/Paused");
    assertThat(message(rollouts, "Paused")).contains("rollouts are paused");
    assertThat(says(everything, "Paused")).isEqualTo("False/Pausing");
    assertThat(message(everything, "Paused")).contains("still stopping: 1");
    SeiNodeDeploymentStatus stopped =
        derive(aFleet(1, A).spec(spec -> spec.withPaused(true)), NOTHING);
    assertThat(says(stopped, "Paused")).isEqualTo("True/Paused");
    assertThat(message(stopped, "Paused")).contains("every node is stopped");
  }

  @Test
  void aCeremonyThatIsNotCompleteIsNotSupported() {
    assertThat(says(derive(ceremony(null), NOTHING), GENESIS)).isEqualTo("False/NotSupported");
    assertThat(says(derive(ceremony(ConditionStatus.FALSE), NOTHING), GENESIS))
        .isEqualTo("False/NotSupported");
    assertThat(
            says(
                derive(
                    ceremony(ConditionStatus.FALSE).spec(spec -> spec.withGenesis(null)), NOTHING),
                GENESIS))
        .isEqualTo("False/NotApplicable");
  }

  @Test
  void aCeremonyThatIsCompleteStaysSo() {
    SeiNodeDeploymentStatus first = derive(ceremony(ConditionStatus.TRUE), NOTHING);
    SeiNodeDeploymentStatus later =
        derive(
            ceremony(null).status(before -> first).spec(spec -> spec.withGenesis(null)), NOTHING);

    Condition latched = complete(ConditionStatus.TRUE);
    assertThat(condition(first, GENESIS)).contains(latched.withObservedGeneration(7L));
    assertThat(later.conditions()).isEqualTo(first.conditions());
  }

  private static FleetSample ceremony(ConditionStatus complete) {
    return aFleet(1, A)
        .ready()
        .spec(spec -> spec.withGenesis(new Genesis("atlantic-2", null, null, null, null, null)))
        .status(
            status ->
                complete == null ? status : status.withConditions(List.of(complete(complete))));
  }

  private static Condition complete(ConditionStatus status) {
    return new Condition(GENESIS, status, 1L, NodeSample.LONG_AGO, "Complete", "as it was");
  }

  @Test
  void conflictsAndRefusalsAreNamed() {
    FleetSample fleet = aFleet(1, A).ready();

    SeiNodeDeploymentStatus status =
        derive(
            fleet,
            pass -> {
              SeiNode node = pass.view().children().get(0).node();
              pass.conflict(new Foreign(node, "X"));
              refuse(pass);
            });

    assertThat(says(status, "Ready")).isEqualTo("False/ChildConflict");
    assertThat(message(status, "Ready")).isEqualTo("SeiNode fleet-0 belongs to X");
    assertThat(says(status, "UpToDate")).isEqualTo("False/ApplyRefused");
    assertThat(says(status, "Stalled")).isEqualTo("True/ApplyRefused");
    assertThat(message(status, "Stalled")).contains("SeiNode fleet-0: no");
  }

  @Test
  void refusedNodeIsShownOnTheFleet() {
    SeiNodeDeploymentStatus status = derive(aFleet(2, A).child(1, A), FleetConditionsTest::refuse);

    assertThat(says(status, "Ready")).isEqualTo("False/ApplyRefused");
    assertThat(message(status, "Ready")).startsWith("1/2 nodes ready; ").contains("fleet-0");
  }

  private static void refuse(FleetPass pass) {
    pass.refusals().add(RefusedWrites.of("SeiNode fleet-0", "no"));
  }

  @Test
  void aServiceInTheWayKeepsAFleetFromBeingUpToDateAndNotFromBeingReady() {
    SeiNodeDeploymentStatus status =
        derive(
            aFleet(1, A).ready(),
            pass ->
                pass.conflict(new Foreign(new ServiceRenderer().internal(pass.deployment()), "X")));

    assertThat(says(status, "UpToDate")).isEqualTo("False/ServiceConflict");
    assertThat(message(status, "UpToDate")).isEqualTo("Service fleet-internal belongs to X");
    assertThat(says(status, "Ready")).isEqualTo("True/AllNodesReady");
  }

  @Test
  void servicesAndUrlsAreListedByOrdinalForTheNodesThatAreWanted() {
    FleetSample fleet = aFleet(2, A).ready().child(2, A);

    SeiNodeDeploymentStatus status =
        derive(fleet, pass -> pass.note(ServiceUrls.internalService(pass.deployment())));

    assertThat(status.perPodServices())
        .extracting(PerPodService::name)
        .containsExactly("fleet-0", "fleet-1");
    assertThat(status.endpoints().tendermintRpc()).isEqualTo("http://fleet-internal.sei.svc:26657");
    assertThat(status.endpoints().nodes())
        .extracting(Endpoints.Node::evmWs)
        .containsExactly("ws://fleet-0.sei.svc:8546", "ws://fleet-1.sei.svc:8546");
    SeiNodeDeploymentStatus empty = derive(aFleet(1, A), NOTHING);
    assertThat(empty.perPodServices()).isNull();
    assertThat(empty.endpoints()).isNull();
  }

  /** Derives the status of a fleet after a reconcile that did this and wrote its template. */
  static SeiNodeDeploymentStatus derive(FleetSample fleet, Consumer<FleetPass> what) {
    var pass = fleet.pass();
    pass.assigned(Assigned.EVERY_NODE);
    what.accept(pass);
    return FleetStatus.of(pass, OfflineFleet.CONDITIONS);
  }

  private static String message(SeiNodeDeploymentStatus status) {
    return message(status, "RolloutInProgress");
  }

  /** A condition as STATUS/REASON. */
  static String says(SeiNodeDeploymentStatus status, String type) {
    Condition condition = condition(status, type).orElseThrow();
    return condition.status() + "/" + condition.reason();
  }

  private static String message(SeiNodeDeploymentStatus status, String type) {
    return condition(status, type).orElseThrow().message();
  }

  private static Optional<Condition> condition(SeiNodeDeploymentStatus status, String type) {
    return status.conditions().stream()
        .filter(condition -> condition.type().equals(type))
        .findFirst();
  }
}
