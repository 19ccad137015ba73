package io.sei.operator.fleet.genesis;

import static io.sei.operator.testkit.samples.FleetSample.aFleet;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.ConditionsDraft;
import io.sei.operator.reconcile.EventRule;
import io.sei.operator.testkit.samples.FleetSample;
import io.sei.operator.testkit.samples.NodeSample;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlockProductionTest {

  private static final Instant NOW = NodeSample.NOW;

  private final Map<String, BlockProduction.Block> said = new HashMap<>();
  private final BlockProduction feature =
      new BlockProduction(node -> Optional.ofNullable(said.get(node.getMetadata().getName())));

  /** The first row that fits decides; age is that of the newest block, in seconds. */
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "no nodes, -,  -,   Unknown, NoNodes",
        "never,    -,  -,   False,   AwaitingFirstBlock",
        "some,     -,  -,   False,   AwaitingFirstBlock",
        "no more,  -,  -,   Unknown, SignalUnreadable",
        "never,    0,  999, False,   AwaitingFirstBlock",
        "some,     0,  999, False,   AwaitingFirstBlock",
        "never,    1,  0,   True,    HeightAdvancing",
        "some,     7,  120, True,    HeightAdvancing",
        "some,     7,  121, False,   HeightStalled",
        "no more,  7,  121, False,   HeightStalled",
      })
  void newestBlockDecides(String answers, Long height, Long age, String status, String reason) {
    Optional<BlockProduction.Block> newest =
        Optional.ofNullable(height).map(number -> state(number, age));

    ConditionProposal proposal =
        BlockProduction.propose(Optional.empty(), nodes(answers), newest, NOW);

    assertThat(proposal.status()).hasToString(status);
    assertThat(proposal.reason()).hasToString(reason);
  }

  @Test
  void blocksComeAndNothingIsWrittenUntilThereAreNone() {
    said.put("fleet-0", state(8, 300));
    said.put("fleet-1", state(9, 1));
    SeiNodeDeploymentStatus first = reported(SeiNodeDeploymentStatus.empty());
    assertThat(message(first)).isEqualTo("the chain makes blocks");

    said.put("fleet-1", state(70, 0));
    SeiNodeDeploymentStatus later = reported(first);
    assertThat(later.conditions()).isEqualTo(first.conditions());
    assertThat(events(first, later)).isEmpty();

    said.put("fleet-1", state(70, 180));
    SeiNodeDeploymentStatus stalled = reported(later);
    assertThat(message(stalled)).startsWith("block 70 is of " + ago(180) + ", and none is newer");
    assertThat(events(later, stalled)).containsExactly("Warning HeightStalled");
    assertThat(events(stalled, first)).containsExactly("Normal HeightAdvancing");
  }

  @Test
  void conditionStaysUntilNodesThatAnswerHaveBeenAsked() {
    said.put("fleet-1", state(9, 1));
    SeiNodeDeploymentStatus before = reported(SeiNodeDeploymentStatus.empty());

    said.clear();

    assertThat(reported(before).conditions()).isEqualTo(before.conditions());
  }

  @Test
  void fleetWithoutAGenesisHasNoCondition() {
    var pass = aFleet(2, FleetSample.A).pass();

    assertThat(conditions(pass)).isNullOrEmpty();
    assertThat(pass.recheck()).isEmpty();
  }

  private SeiNodeDeploymentStatus reported(SeiNodeDeploymentStatus before) {
    return before.withConditions(
        conditions(
            aFleet(2, FleetSample.A)
                .spec(spec -> spec.withGenesis(new Genesis("lab-1", null, null, null, null, null)))
                .status(status -> status.withConditions(before.conditions()))
                .child(0, FleetSample.A, BlockProductionTest::answers)
                .child(1, FleetSample.A, BlockProductionTest::answers)
                .pass()));
  }

  private List<Condition> conditions(FleetPass pass) {
    FleetFeature.conditionsOf(List.of(feature)).report(pass);
    var conditions = new ConditionsDraft(pass.view().stored().conditions(), 1L, NOW);
    pass.proposals().forEach(conditions::put);
    return conditions.conditions();
  }

  /** Nodes that say so of their RPC. */
  private static List<SeiNode> nodes(String answers) {
    NodeSample node = FleetSample.aChild(0, FleetSample.A);
    return switch (answers) {
      case "no nodes" -> List.of();
      case "never" -> List.of(node.build());
      case "some" -> List.of(answers(node).build(), silent(node));
      case "no more" -> List.of(silent(node), node.build());
      default -> throw new IllegalArgumentException(answers);
    };
  }

  private static SeiNode silent(NodeSample node) {
    return node.status(
            status ->
                status.withConditions(
                    List.of(
                        new Condition(
                            NodeConditionType.CAUGHT_UP.toString(),
                            ConditionStatus.UNKNOWN,
                            1L,
                            NOW,
                            "SignalUnreadable",
                            ""))))
        .build();
  }

  private static NodeSample answers(NodeSample node) {
    return node.caughtUp(true, true);
  }

  private List<String> events(SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after) {
    return EventRule.told(FleetFeature.conditionsOf(List.of(feature)).events(), before, after)
        .stream()
        .map(event -> (event.warning() ? "Warning " : "Normal ") + event.reason())
        .toList();
  }

  private static String message(SeiNodeDeploymentStatus status) {
    return Conditions.find(status.conditions(), FleetConditionType.PRODUCING)
        .orElseThrow()
        .message();
  }

  private static BlockProduction.Block state(long height, long age) {
    return new BlockProduction.Block(height, ago(age));
  }

  private static Instant ago(long seconds) {
    return NOW.minusSeconds(seconds);
  }
}
