package io.sei.operator.fleet;

import static io.sei.operator.testkit.samples.FleetSample.A;
import static io.sei.operator.testkit.samples.FleetSample.B;
import static io.sei.operator.testkit.samples.FleetSample.C;
import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static io.sei.operator.testkit.samples.FleetSample.hash;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.Explanation.ExplainedNode;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.v1alpha1.UpdateStrategy;
import io.sei.operator.api.v1alpha1.UpdateStrategy.InPlace;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.samples.FleetSample;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Explanation of which nodes of a fleet would restart, by ordinal. */
class RolloutExplanationTest {

  private static final UpdateStrategy HELD = strategy(null, true);
  private static final UpdateStrategy TWO_AT_A_TIME =
      strategy(new InPlace(new IntOrString(2), null, null, null, null), null);
  private static final UpdateStrategy PARTITION_1 =
      strategy(new InPlace(null, 1, null, null, null), null);

  static Stream<Arguments> rows() {
    return Stream.of(
        Arguments.of(
            "highest ordinal first, one at a time",
            fleet(B).child(0, A).child(1, A).child(2, A),
            List.of("Restart 3", "Restart 2", "Restart 1"),
            "image sei:a -> sei:b"),
        Arguments.of(
            "as many at a time as allowed",
            fleet(B, TWO_AT_A_TIME).child(0, A).child(1, A).child(2, A),
            List.of("Restart 2", "Restart 1", "Restart 1"),
            "image sei:a -> sei:b"),
        Arguments.of(
            "one that is not Ready goes first, and the others wait for it",
            fleet(B).child(0, A, node -> node.unready("PodNotReady")).child(1, A).child(2, A),
            List.of("Restart 1", "Restart 3", "Restart 2"),
            "not Ready, so it goes before nodes that are"),
        Arguments.of(
            "those without a seid that runs go at once",
            fleet(B)
                .child(0, A, node -> node.unready("NoPod"))
                .child(1, A, node -> node.unready("NoPod"))
                .child(2, A),
            List.of("Restart 1", "Restart 1", "Restart 2"),
            "seid does not serve there, so it does not wait for others"),
        Arguments.of(
            "one that somebody paused waits and holds up nothing",
            fleet(B).child(0, A).child(1, A, NodeSample::paused).child(2, A),
            List.of("Restart 2", "Wait", "Restart 1"),
            "its spec.paused is true; restarts once that is cleared"),
        Arguments.of(
            "one whose data is at risk waits and holds up nothing",
            fleet(B).child(0, A).child(1, A, NodeSample::atRisk).child(2, A),
            List.of("Restart 2", "Wait", "Restart 1"),
            "its data would be lost; see its condition DataVolumeAtRisk"),
        Arguments.of(
            "one that is held is given it at once, as its seid does not run",
            fleet(B).child(0, A).child(1, A, NodeSample::held).child(2, A),
            List.of("Restart 2", "Restart 1", "Restart 1"),
            "seid does not serve there, so it does not wait for others"),
        Arguments.of(
            "one that is to be held and still runs waits and holds up nothing",
            fleet(B).child(0, A).child(1, A, node -> node.held().ready()).child(2, A),
            List.of("Restart 2", "Wait", "Restart 1"),
            "its spec.maintenance.hold is set; gets the template once it is Held"),
        Arguments.of(
            "all is there",
            fleet(A).child(0, A).child(1, A).child(2, A, NodeSample::terminating),
            List.of("None", "None", "None"),
            "is being deleted"),
        Arguments.of(
            "a change that restarts nothing, of which the node has not taken notice yet",
            fleet(A).child(0, A).child(1, A, node -> node.generation(2)),
            List.of("None", "None"),
            "runs the template"),
        Arguments.of(
            "changes of the operator's own wait",
            fleet(A).child(0, A).child(1, A, NodeSample::restartPending).child(2, A),
            List.of("None", "Wait", "None"),
            "the evidence; waits for sei.io/restart-requested-at"));
  }

  static Stream<Arguments> rowsOfRollouts() {
    return Stream.of(
        Arguments.of(
            "held by one that stalls on the template",
            fleet(B)
                .child(0, A)
                .child(1, A)
                .child(2, B, node -> node.stalled("ImagePull"))
                .status(admitted(2)),
            List.of("Wait", "Wait", "Wait"),
            "waits for fleet-2, which is stalled on the template: ImagePull: the evidence"),
        Arguments.of(
            "one that is down below the partition uses up what is allowed",
            fleet(B, PARTITION_1)
                .child(0, A, node -> node.unready("CrashLoop"))
                .child(1, A)
                .child(2, A)
                .status(admitted()),
            List.of("None", "Wait", "Wait"),
            "maxUnavailable 1 is used up by unready nodes: fleet-0"),
        Arguments.of(
            "below the partition nothing restarts",
            fleet(B, PARTITION_1).kept(A).child(0, A).child(1, A).child(2, A),
            List.of("None", "Restart 2", "Restart 1"),
            "is below partition 1 and keeps image " + A),
        Arguments.of(
            "below a new partition no turn is kept",
            fleet(C, PARTITION_1)
                .kept(B)
                .child(0, B, node -> node.stillRuns(A))
                .child(1, A)
                .child(2, A)
                .status(admitted(0)),
            List.of("None", "Restart 2", "Restart 1"),
            "is below partition 1 and keeps image " + B),
        Arguments.of(
            "one whose pod is Ready, whatever its status says, waits for its turn",
            fleet(B)
                .child(0, A, node -> node.unready("X"))
                .child(1, A)
                .child(2, A)
                .status(admitted())
                .readyLive(0),
            List.of("Restart 3", "Restart 2", "Restart 1"),
            "image sei:a -> sei:b"),
        Arguments.of(
            "in the middle of a rollout",
            fleet(B)
                .child(0, A)
                .child(1, B, node -> node.stillRuns(A))
                .child(2, B)
                .status(admitted(1, 2)),
            List.of("Restart 2", "Restart 1", "None"),
            "admitted: image sei:a -> sei:b"),
        Arguments.of(
            "a restarted node that is not Ready yet is waited for",
            fleet(B)
                .child(0, A)
                .child(1, A)
                .child(2, B, node -> node.unready("X"))
                .status(admitted(2)),
            List.of("Restart 2", "Restart 1", "None"),
            "runs the template"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"rows", "rowsOfRollouts"})
  void explains(String name, FleetSample fleet, List<String> actions, String reason) {
    Explanation explanation = RolloutExplanation.of(fleet.view());

    assertThat(explanation.nodes()).extracting(RolloutExplanationTest::action).isEqualTo(actions);
    assertThat(explanation.nodes())
        .extracting(ExplainedNode::reason)
        .anySatisfy(text -> assertThat(text).contains(reason));
    assertThat(explanation.nodes())
        .filteredOn(node -> node.reason().contains("is not Ready"))
        .as("go at once")
        .allMatch(node -> node.wave() == null || node.wave() == 1);
    assertThat(explanation.request()).isEqualTo("1");
    assertThat(explanation.observedGeneration()).isEqualTo(7L);
  }

  @Test
  void explanationNamesWhatHoldsTheRolloutAndWhatFollows() {
    FleetSample held = fleet(B, HELD).child(0, A).child(1, A).child(2, A, NodeSample::paused);
    assertThat(RolloutExplanation.of(held.view()).summary())
        .isEqualTo(
            "once spec.updateStrategy.paused is cleared: 2 of 3 nodes restart in 2 waves, with"
                + " maxUnavailable 1, 1 wait");

    FleetSample paused =
        fleet(B)
            .spec(spec -> spec.withPaused(true))
            .child(0, A, NodeSample::paused)
            .child(1, A, NodeSample::paused);
    assertThat(RolloutExplanation.of(paused.view()).summary())
        .isEqualTo(
            "once spec.paused is cleared: 2 of 2 nodes restart in 1 wave, with maxUnavailable 1");
  }

  @Test
  void aTemplateThatWasRolledBackIsNotTriedAgain() {
    FleetSample fleet =
        fleet(B)
            .child(0, A)
            .kept(A)
            .status(
                status ->
                    status.with(s -> s.completedTemplateHash(hash(A)).failedTemplateHash(hash(B))));

    assertThat(RolloutExplanation.of(fleet.view()).summary())
        .isEqualTo("nothing restarts; image %s was rolled back and is not retried".formatted(B));
  }

  @Test
  void anAnswerIsKeptUntilAnotherRequestOrGeneration() {
    Explanation given = RolloutExplanation.of(fleet(B).child(0, A).view());
    FleetSample answered = fleet(B).child(0, B).status(status -> status.withExplain(given));

    assertThat(RolloutExplanation.of(answered.view())).isSameAs(given);
    assertThat(RolloutExplanation.of(answered.annotation(Annotations.EXPLAIN, "2").view()))
        .isNotEqualTo(given);
    Explanation older = new Explanation("2", 6L, NodeSample.LONG_AGO, "", List.of());
    assertThat(RolloutExplanation.of(answered.status(status -> status.withExplain(older)).view()))
        .isNotEqualTo(older);
  }

  @Test
  void explanationNeedsARequest() {
    Explanation given = RolloutExplanation.of(fleet(B).child(0, A).view());

    assertThat(
            RolloutExplanation.of(
                aFleet(1, A).ready().image(B).status(status -> status.withExplain(given)).view()))
        .isNull();
  }

  private static FleetSample fleet(String image) {
    return aFleet(3, image).annotation(Annotations.EXPLAIN, "1");
  }

  private static FleetSample fleet(String image, UpdateStrategy strategy) {
    return fleet(image).spec(spec -> spec.withUpdateStrategy(strategy));
  }

  private static UpdateStrategy strategy(InPlace limits, Boolean paused) {
    return new UpdateStrategy(UpdateStrategy.Type.IN_PLACE, limits, paused);
  }

  /** The status in a rollout to B of nodes that were all available; these had their turn. */
  private static UnaryOperator<SeiNodeDeploymentStatus> admitted(Integer... ordinals) {
    var nodes =
        IntStream.range(0, 3)
            .mapToObj(
                ordinal ->
                    new RolloutNode(
                        "fleet-" + ordinal,
                        List.of(ordinals).contains(ordinal) ? NodeSample.LONG_AGO : null,
                        true))
            .toList();
    return status -> status.withRollout(new Rollout(hash(B), NodeSample.LONG_AGO, nodes));
  }

  private static String action(ExplainedNode node) {
    return node.action() + (node.wave() == null ? "" : " " + node.wave());
  }
}
