package io.sei.operator.fleet.disruption;

import static io.sei.operator.testkit.samples.FleetNodeSample.aFleetNode;
import static io.sei.operator.testkit.samples.FleetNodeSample.fleetNodes;
import static io.sei.operator.testkit.samples.NodeSample.LONG_AGO;
import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.RolloutSample.aRollout;
import static io.sei.operator.testkit.samples.RolloutSample.limits;
import static io.sei.operator.testkit.samples.RolloutSample.minReady;
import static io.sei.operator.testkit.samples.RolloutSample.rollback;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.StallReason.Origin;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.Limits;
import io.sei.operator.fleet.feature.RolloutVerdict;
import io.sei.operator.testkit.samples.FleetNodeSample;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Nodes that a rollout admits next. */
class RolloutPolicyTest {

  /** Causes that a template or an image can have; no other cause is rolled back. */
  private static final Set<StallReason> ROLLED_BACK =
      Set.of(
          StallReason.APPLY_REFUSED,
          StallReason.CONFIG_INVALID,
          StallReason.CRASH_LOOP,
          StallReason.FILES_MISSING,
          StallReason.IMAGE_PULL,
          StallReason.INVALID_SPEC,
          StallReason.MOUNT_SOURCE_MISSING,
          StallReason.OUT_OF_MEMORY,
          StallReason.POD_RESIZE_PENDING,
          StallReason.QUOTA_EXCEEDED,
          StallReason.RUNTIME_CRASH,
          StallReason.SEID_NOT_RESPONDING,
          StallReason.SIDECAR_TASK_FAILED,
          StallReason.SIDECAR_UNREACHABLE,
          StallReason.SIDECAR_UNSUPPORTED,
          StallReason.UNKNOWN,
          StallReason.UNSCHEDULABLE);

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          the highest ordinal                        | 3 | 1 | old, old, old | 2
          as many as allowed                         | 3 | 2 | old, old, old | 2 1
          more allowed than there are                | 2 | 100 | old, old | 1 0
          unavailable ones for free                  | 3 | 1 | down, old, old | 0
          none while one is under way                | 3:2 | 1 | old, old, rolling | ''
          none while one starts                      | 2:1 | 1 | old, starting | ''
          the next one after                         | 3:2 | 1 | old, old, done | 1
          one admitted counts before it is written   | 2:1 | 1 | old, old | ''
          what became unready uses the budget itself | 3 | 1 | old, old, down | 2
          none below the partition                   | 3 | partition 3 | old, old, old | ''
          unready below the partition counts         | 2 | partition 1 | down, old | ''
          a paused one costs nothing                 | 3 | 1 | old, old, paused old | 1
          a held one is taken for free               | 3 | 1 | old, old, held old | 2 1
          unless the rollout has stalled             | 3:1::1 | 2 | old, paused starting, held old | ''
          one that is held below the partition       | 1 | partition 1 | held old | ''
          one paused after its turn costs nothing    | 3:2 | 1 | old, old, paused rolling | 1
          one whose data is at risk costs nothing    | 3 | 1 | old, old, atRisk old | 1
          put at risk after its turn it may go down  | 3:2 | 1 | old, old, atRisk old | ''
          one that cannot be read is unavailable     | 3 | 1 | old, old, unreadable old | ''
          and is not taken                           | 3 | 3 | old, old, unreadable down | 1 0
          and none is done for it                    | 3:2 | 2 | old, old, unreadable done | 1
          a terminating one is ignored               | 3 | 1 | old, old, terminating old | 1
          a stall holds, also what is free | 3:2 | 3 | down, old, stalled:ImagePull starting | ''
          a stall on the old template does not hold  | 2 | 1 | old, stalled:CrashLoop down | 1
          a crash since holds, Ready again or not    | 2:1 | 1 | old, crashed ready:599 done | ''
          Ready for the progress deadline since      | 2:1 | 1 | old, crashed ready:600 done | 0
          a crash on the old template does not hold  | 2 | 1 | old, crashed old | 1
          a stall that only a paused one has | 2:1 | 1 | old, paused stalled:ImagePull starting | 0
          a stall before it was paused holds         | 2:1::1 | 1 | old, paused starting | ''
          or before it could not be read             | 2:1::1 | 2 | old, unreadable starting | ''
          not a stall on another template            | 2:1::1 | 1 | old, paused earlier | 0
          nor one below the partition       | 3:0::0 | partition 1 | paused starting, old, done | 1
          not Ready for long enough                  | 2:1 | ready 30 | old, ready:29 done | ''
          just Ready for long enough                 | 2:1 | ready 30 | old, ready:30 done | 0
          less than half a minute, nothing said      | 2:1 | unset | old, ready:29 done | ''
          half a minute, nothing said                | 2:1 | unset | old, ready:30 done | 0
          ten seconds after its first new block      | 2:1 | unset | old, block:10 ready:12 done | 0
          not quite ten seconds after it             | 2:1 | unset | old, block:9 ready:29 done | ''
          Ready again since, so after the restart    | 2:1 | unset | old, block:60 ready:9 done | ''
          a late block costs no more time            | 2:1 | unset | old, block:1 ready:30 done | 0
          a block that is still to come              | 2:1 | unset | old, block:-5 ready:9 done | ''
          a new block, but a time is asked for | 2:1 | ready 30 | old, block:20 ready:29 done | ''
          a time is asked for, and no block is seen  | 2:1 | ready 5 | old, ready:5 done | 0
          Ready since a moment to come, so since now | 2:1 | 1 | old, readyAhead done | 0
          which is not long enough                   | 2:1 | ready 30 | old, readyAhead done | ''
          a node added meanwhile is no obstacle      | 2:1 | 1 | old, done, neverReady starting | 0
          """)
  void admits(String what, String rollout, String limits, String fleet, String expected) {
    assertThat(decide(aRollout(rollout), fleetNodes(fleet), limits(limits)).admit())
        .extracting(node -> String.valueOf(node.ordinal()))
        .isEqualTo(expected.isEmpty() ? List.of() : List.of(expected.split(" ")));
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          all there                 | 2:0 1 | 1           | done, done            | true  | true
          one to come               | 2:1   | 1           | old, done             | false | false
          one on its way            | 2:0 1 | 1           | rolling, done         | true  | false
          one not Ready             | 2:0 1 | 1           | starting, done        | true  | false
          those of the partition    | 2:1   | partition 1 | old, done             | true  | true
          all but a paused one      | 2:1   | 1           | paused old, done      | true  | true
          all but a terminating one | 2:1   | 1           | terminating old, done | true  | true
          a held one to come        | 2:1   | 1           | held old, done        | false | true
          a held one                | 2:0 1 | 1           | held rolling, done    | true  | true
          """)
  void rolloutIsAdmittedAndDoneOnceEveryNodeIs(
      String what, String rollout, String limits, String fleet, boolean admitted, boolean done) {
    RolloutVerdict verdict = decide(aRollout(rollout), fleetNodes(fleet), limits(limits));
    assertThat(verdict.admitted()).isEqualTo(admitted);
    assertThat(verdict.done()).isEqualTo(done);
  }

  @Test
  void aNodeThatWasUnavailableBeforeIsDoneWithoutBeingReady() {
    assertThat(decide(aRollout("1::0"), fleetNodes("starting"), limits(1)).done()).isTrue();
  }

  @Test
  void aWholeFleetThatIsDownRollsAtOnce() {
    assertThat(decide(aRollout("3::0 1 2"), fleetNodes("down, down, down"), limits(1)).admit())
        .hasSize(3);
  }

  @ParameterizedTest
  @EnumSource(StallReason.class)
  void onlyACauseThatTheOldImageCuresIsRolledBack(StallReason reason) {
    FleetNode stalled = aFleetNode(1).starting().stalled(reason.toString()).build();

    boolean back =
        decide(
                aRollout(2, 1),
                List.of(aFleetNode(0).build(), stalled),
                rollback(Duration.ofSeconds(2)))
            .rollBack();

    assertThat(back).isEqualTo(ROLLED_BACK.contains(reason));
  }

  @ParameterizedTest
  @EnumSource(StallReason.class)
  void rolloutStopsBehindANodeThatIsPausedAfterItStalled(StallReason reason) {
    String stall = "stalled:%s starting".formatted(reason);
    boolean continues = Set.of(Origin.MACHINE, Origin.NETWORK).contains(reason.origin());

    assertThat(continuesAfter(stall, "paused starting")).isEqualTo(continues);
    assertThat(continuesAfter(stall, "unreadable starting")).isEqualTo(continues);
    assertThat(continuesAfter(stall, "paused starting", "starting", "paused starting"))
        .as("resumed, and paused before it is Ready")
        .isEqualTo(continues);
    assertThat(continuesAfter(stall, "done", "paused done")).as("was Ready").isTrue();
    assertThat(continuesAfter(stall, "terminating starting", "paused starting"))
        .as("was deleted")
        .isTrue();
  }

  /** Returns whether fleet-0 is admitted after fleet-1 was in these states. */
  private static boolean continuesAfter(String... states) {
    Rollout rollout = aRollout(2, 1);
    List<FleetNode> nodes = List.of();
    for (String state : states) {
      nodes = fleetNodes("old, " + state);
      rollout = RolloutRecord.corrected(rollout, nodes, limits(2), NOW);
    }
    return !decide(rollout, nodes, limits(2)).admit().isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "paused, resume or release the node",
    "held, resume or release the node",
    "unreadable, correct the field that its conditions or Events name"
  })
  void stallThatOutlivesAPauseHasARemedyThatHelps(String state, String remedy) {
    assertThat(
            decide(aRollout("2:1::1"), fleetNodes("old, starting " + state), limits(2)).stalled())
        .map(FleetNode::stallMessage)
        .contains(
            "stalled on the new template, and has not been Ready with it since; %s, delete it, or change the template"
                .formatted(remedy));
  }

  /** The user is at work on the node. */
  @Test
  void rolloutIsNotRolledBackForANodeThatIsPaused() {
    RolloutVerdict verdict =
        decide(
            aRollout("2:1::1"),
            fleetNodes("old, paused starting"),
            rollback(Duration.ofSeconds(1)));

    assertThat(verdict.rollBack()).isFalse();
    assertThat(verdict.stalled()).map(FleetNode::stall).contains("ImagePull");
    assertThat(verdict.recheck()).isEmpty();
    assertThat(
            decide(
                    aRollout("2:1"),
                    fleetNodes("old, paused crashed done"),
                    rollback(Duration.ofSeconds(1)))
                .rollBack())
        .as("after a crash")
        .isFalse();
  }

  @Test
  void rolloutIsRolledBackAtTheDeadlineAndNotBefore() {
    FleetNode stalled = aFleetNode(1).starting().stalled("ImagePull").build();

    RolloutVerdict verdict =
        decide(
            aRollout(2, 1),
            List.of(aFleetNode(0).build(), stalled),
            rollback(Duration.ofSeconds(3605)));

    assertThat(verdict.rollBack()).isFalse();
    assertThat(verdict.stalled()).contains(stalled);
    assertThat(verdict.recheck()).contains(Duration.ofSeconds(5));
  }

  @Test
  void deadlineOfARollbackCountsFromTheStallAndNotFromTheTurn() {
    FleetNode stalled =
        aFleetNode(1)
            .starting()
            .stalled("ImagePull")
            .build()
            .withStalledSince(NOW.minusSeconds(599));

    RolloutVerdict verdict =
        decide(
            aRollout(2, 1),
            List.of(aFleetNode(0).build(), stalled),
            rollback(Duration.ofSeconds(600)));

    assertThat(verdict.rollBack()).isFalse();
    assertThat(verdict.recheck()).contains(Duration.ofSeconds(1));
  }

  @Test
  void rolloutHoldsForEverWithoutOnStallRollback() {
    RolloutVerdict verdict =
        decide(aRollout(2, 1), fleetNodes("old, stalled:ImagePull starting"), limits(1));

    assertThat(verdict.rollBack()).isFalse();
    assertThat(verdict.recheck()).isEmpty();
  }

  @Test
  void rolloutIsRecheckedWhenANodeWillHaveBeenReadyLongEnough() {
    FleetNode ready = aFleetNode(1).done().readySince(NOW.minusSeconds(10)).build();

    assertThat(
            decide(
                    aRollout(2, 1),
                    List.of(aFleetNode(0).build(), ready),
                    minReady(Duration.ofSeconds(30)))
                .recheck())
        .contains(Duration.ofSeconds(20));
  }

  @Test
  void rolloutWithoutNodesOfAnotherOperatorIsContinued() {
    var rollout = new Rollout(FleetNodeSample.NEW, LONG_AGO, null);

    assertThat(decide(rollout, fleetNodes("old, old"), limits(1)).admit()).hasSize(1);
  }

  private static RolloutVerdict decide(Rollout rollout, List<FleetNode> fleet, Limits limits) {
    return RolloutPolicy.decide(rollout, fleet, limits, NOW);
  }
}
