package io.sei.operator.node.upgrade;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.Freeze;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.chain.ChainAnswer;
import io.sei.operator.chain.ChainHead;
import io.sei.operator.chain.ChainState;
import io.sei.operator.chain.ReleaseReader;
import io.sei.operator.chain.UpgradePlan;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.status.NodeStatus;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.testkit.samples.End;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The condition UpgradesReady for a plan of the chain. */
class PlannedUpgradeTest {

  private static final String A = "sei:a";
  private static final SeiNodeStatus RUNNING = aNode(A).running().status();
  private static final Optional<ChainState> UNKNOWN = Optional.empty();

  static Stream<Arguments> verdicts() {
    return Stream.of(
        row("nothing planned, nothing listed", nothing(), List.of(), "none"),
        row("never asked", UNKNOWN, List.of(), "none"),
        row("unlisted", planned("v2", 100, false), List.of(), "False/NotListed"),
        row("another listed", planned("v2", 100, false), entry("v3", 200), "False/NotListed"),
        row("listed", planned("v2", 100, false), entry("v2", 100), "True/Scheduled"),
        row("at another height", planned("v2", 100, false), entry("v2", 99), "True/Scheduled"),
        row("reached", planned("v2", 50, false), List.of(), "none"),
        row("minor and unlisted", planned("v2", 100, true), List.of(), "False/NotListed"),
        row("minor and early", planned("v2", 100, true), early("v2"), "True/Scheduled"),
        row("major and early", planned("v2", 100, false), early("v2"), "False/NotMinor"),
        row("another early", planned("v2", 100, false), early("v3"), "False/NotListed"),
        row("early, of which nothing is known", nothing(), early("v2"), "True/Scheduled"),
        row("voted on", voted("v2", 100), List.of(), "True/UpgradeProposed"),
        row("voted on, and listed", voted("v2", 100), entry("v2", 100), "True/Scheduled"),
        row("voted on, and another listed", voted("v2", 100), entry("v3", 90), "True/Scheduled"),
        row("voted on, and past", voted("v2", 50), List.of(), "none"),
        row("early, never asked", UNKNOWN, early("v2"), "True/Scheduled"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("verdicts")
  void conditionShowsWhetherThePlanIsListed(
      String what, Optional<ChainState> chain, List<Upgrade> listed, String said) {
    assertThat(says(derive(chain, listed, RUNNING))).isEqualTo(said);
  }

  @ParameterizedTest(name = "{0}, lists {1}: {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "NEEDED at height: 100    | none   | False/NotListed",
        "NEEDED at height: 100    | v3     | False/NotListed",
        "NEEDED at height: 100    | v2     | True/Scheduled",
        "NEEDED                   | none   | none",
      })
  void unlistedUpgradeThatSeidHaltedForIsShown(String said, String listed, String expected) {
    List<Upgrade> entries = listed.equals("none") ? List.of() : entry(listed, 200);

    assertThat(says(halted("panic: UPGRADE \"v2\" " + said, entries))).isEqualTo(expected);
  }

  @Test
  void haltIsShownUntilItIsOverAlsoWhereTheChainIsUnknown() {
    NodePass halted = halted("panic: UPGRADE \"v2\" NEEDED at height: 100", List.of());

    assertThat(message(halted))
        .isEqualTo(
            "seid halted for upgrade \"v2\" at height 100, which spec.upgrades does not list; list"
                + " it");
    assertThat(says(derive(UNKNOWN, List.of(), halted.draft()))).isEqualTo("True/NoUpgrades");
  }

  @Test
  void messagesNameTheUpgradeAndTheNextStep() {
    assertThat(message(derive(planned("v2", 100, false), List.of(), RUNNING)))
        .isEqualTo(
            "the chain plans upgrade \"v2\" at height 100, which spec.upgrades does not list;"
                + " list it with its image before that height");
    assertThat(message(derive(planned("v6.8", 100, false), entry("v6.8.0", 100), RUNNING)))
        .isEqualTo(
            "the chain plans upgrade \"v6.8\" at height 100, and spec.upgrades lists \"v6.8.0\","
                + " which looks like the tag of its image; correct the entry's name to \"v6.8\""
                + " before that height");
    assertThat(message(derive(planned("v2", 100, false), early("v2"), RUNNING)))
        .isEqualTo(
            "the chain does not plan upgrade \"v2\" as a minor release: its image cannot run before"
                + " height 100; remove early from its entry in spec.upgrades");
    assertThat(message(derive(planned("v2", 100, false), entry("v2", 99), RUNNING)))
        .isEqualTo(
            "listed: upgrade \"v2\" at height 99; the chain plans \"v2\" at height 100, and the"
                + " name alone decides");
  }

  @Test
  void proposalIsNamedAlsoBesideWhatIsListed() {
    String advice =
        "the chain votes on upgrade \"v2\" at height 100, which spec.upgrades does not list; list"
            + " it with its image before the vote ends, so that it is pulled in time";
    NodePass voted = derive(voted("v2", 100), List.of(), RUNNING);

    assertThat(message(voted)).isEqualTo(advice);
    assertThat(message(derive(voted("v2", 100), entry("v1", 90), RUNNING)))
        .isEqualTo("listed: upgrade \"v1\" at height 90; " + advice);
    assertThat(derive(UNKNOWN, List.of(), voted.draft()).draft())
        .as("until the chain is asked again")
        .isEqualTo(voted.draft());
    assertThat(says(derive(nothing(), List.of(), voted.draft()))).isEqualTo("True/NoUpgrades");
  }

  @Test
  void volumeThatHasBeenThroughItNeedsNoEntry() {
    SeiNodeStatus applied =
        RUNNING.withUpgrades(
            List.of(
                UpgradeStatus.scheduled(new Upgrade("v2", 100L, "sei:b", null))
                    .withState(UpgradeState.APPLIED)));

    assertThat(says(derive(planned("v2", 100, false), List.of(), applied))).isEqualTo("none");
  }

  @ParameterizedTest
  @CsvSource({"100, none", "101, False/NotListed"})
  void aFrozenNodeNeedsNoUpgradeOfALaterBlock(long freeze, String said) {
    SeiNode node = withUpgrades(List.of());
    node.setSpec(node.getSpec().withFullNode(new FullNode(null, null, new Freeze(freeze))));

    assertThat(says(derive(planned("v2", 100, false), node, RUNNING))).isEqualTo(said);
  }

  @Test
  void vanishedPlanTakesTheConditionBack() {
    SeiNodeStatus told = derive(planned("v2", 100, false), List.of(), RUNNING).draft();

    assertThat(says(derive(nothing(), List.of(), told))).isEqualTo("True/NoUpgrades");
  }

  @Test
  void newHeightOfTheChainChangesNothing() {
    SeiNodeStatus told = derive(planned("v2", 100, false), List.of(), RUNNING).draft();

    NodePass later =
        derive(
            planned("v2", 100, false)
                .map(
                    state ->
                        state.heard(
                            answer(80, Optional.of(new UpgradePlan("v2", 100, false))), true)),
            List.of(),
            told);

    assertThat(later.draft()).isEqualTo(told);
  }

  @Test
  void conditionHoldsUntilTheChainIsAskedAgain() {
    SeiNodeStatus told = derive(planned("v2", 100, false), List.of(), RUNNING).draft();

    assertThat(derive(UNKNOWN, List.of(), told).draft()).isEqualTo(told);
  }

  @Test
  void conditionOfAnEarlierSpecDoesNotHold() {
    SeiNodeStatus told = derive(planned("v2", 100, false), List.of(), RUNNING).draft();
    SeiNode edited = withUpgrades(entry("v2", 100));
    edited.getMetadata().setGeneration(8L);

    assertThat(says(derive(UNKNOWN, edited, told))).isEqualTo("True/Scheduled");
  }

  private static NodePass derive(
      Optional<ChainState> chain, List<Upgrade> listed, SeiNodeStatus status) {
    return derive(chain, withUpgrades(listed), status);
  }

  private static NodePass derive(Optional<ChainState> chain, SeiNode node, SeiNodeStatus status) {
    var pass =
        aNode(node)
            .status(status)
            .withPod(aPod(aNode(A)).ready())
            .with(view -> view.withChain(chain))
            .pass();
    NodeStatus.record(pass, OfflineNode.CONDITIONS);
    UpgradesReady.derive(pass, Optional.empty(), ReleaseReader.builtIn(), Optional.empty());
    return pass;
  }

  /** The node whose seid ended with these words. */
  private static NodePass halted(String words, List<Upgrade> listed) {
    Pod pod = aPod(aNode(A)).status("seid", seid -> seid.lastEnd(End.exit(2, words))).build();
    var pass =
        aNode(withUpgrades(listed))
            .status(RUNNING)
            .withPod(pod)
            .with(view -> view.withChain(UNKNOWN))
            .pass();
    NodeStatus.record(pass, OfflineNode.CONDITIONS);
    UpgradesReady.derive(
        pass,
        Optional.of(new Finding(StallReason.HALTED_AT_UPGRADE, "it halted", "list it", false)),
        ReleaseReader.builtIn(),
        Optional.empty());
    pass.put(
        NodeConditionType.READY, ConditionProposal.no(StallReason.HALTED_AT_UPGRADE, "it halted"));
    return pass;
  }

  private static SeiNode withUpgrades(List<Upgrade> listed) {
    return aNode(A).spec(spec -> spec.withUpgrades(listed)).build();
  }

  private static String says(NodePass pass) {
    return condition(pass)
        .map(condition -> condition.status() + "/" + condition.reason())
        .orElse("none");
  }

  private static String message(NodePass pass) {
    return condition(pass).orElseThrow().message();
  }

  private static Optional<Condition> condition(NodePass pass) {
    return Conditions.find(pass.draft().conditions(), NodeConditionType.UPGRADES_READY);
  }

  private static Optional<ChainState> planned(String name, long height, boolean minor) {
    return Optional.of(
        ChainState.of(answer(50, Optional.of(new UpgradePlan(name, height, minor)))));
  }

  private static Optional<ChainState> voted(String name, long height) {
    ChainAnswer answer = answer(50, Optional.empty());
    var proposal = new UpgradePlan(name, height, false);
    return Optional.of(
        ChainState.of(
            new ChainAnswer(answer.head(), answer.plan(), Optional.of(List.of(proposal)))));
  }

  private static Optional<ChainState> nothing() {
    return Optional.of(ChainState.of(answer(50, Optional.empty())));
  }

  private static ChainAnswer answer(long height, Optional<UpgradePlan> plan) {
    return new ChainAnswer(
        new ChainHead("atlantic-2", height, NOW.minusSeconds(100 - height)), plan);
  }

  private static List<Upgrade> entry(String name, long height) {
    return List.of(new Upgrade(name, height, "sei:b", null));
  }

  private static List<Upgrade> early(String name) {
    return List.of(new Upgrade(name, 100L, "sei:b", true));
  }

  private static Arguments row(
      String what, Optional<ChainState> chain, List<Upgrade> listed, String said) {
    return Arguments.of(what, chain, listed, said);
  }
}
