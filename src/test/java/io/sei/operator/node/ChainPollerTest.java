package io.sei.operator.node;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.chain.ChainAnswer;
import io.sei.operator.chain.ChainClient;
import io.sei.operator.chain.ChainHead;
import io.sei.operator.chain.ChainReport;
import io.sei.operator.chain.ChainState;
import io.sei.operator.chain.NodeRpc;
import io.sei.operator.chain.UpgradePlan;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.plan.Backoff;
import io.sei.operator.testkit.ManualExecutor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChainPollerTest {

  private static final String CHAIN = "atlantic-2";
  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");
  private static final UpgradePlan V2 = new UpgradePlan("v2", 100, false);

  private final ManualExecutor<ResourceID> executor = ManualExecutor.lazy(NOW);
  private final List<String> asked = new ArrayList<>();
  private final List<String> woken = new ArrayList<>();

  /** Answers of nodes; one without an entry does not answer. */
  private final Map<String, ChainAnswer> answers = new HashMap<>();

  /** Pending answers of the nodes that take their time. */
  private final Map<String, CompletableFuture<ChainAnswer>> pending = new HashMap<>();

  private final PerObjectState<ResourceID> memory =
      new PerObjectState<>(node -> woken.add(node.getName()));
  private final ChainPoller poller =
      new ChainPoller(new Client(), executor.clock(), executor.polling(memory));

  /** Voting period of the chain; null while its nodes do not say. */
  private Duration votingPeriod;

  private int periodsAsked;

  private final class Client implements ChainClient {
    @Override
    public CompletableFuture<ChainAnswer> ask(NodeRpc node, String chainId) {
      return ChainPollerTest.this.ask(node);
    }

    @Override
    public CompletableFuture<Duration> votingPeriod(NodeRpc node) {
      periodsAsked++;
      return votingPeriod == null
          ? CompletableFuture.failedFuture(new IllegalStateException("does not say"))
          : CompletableFuture.completedFuture(votingPeriod);
    }
  }

  @Test
  void chainIsAskedOnceHoweverManyNodesAreThere() {
    allSay(50, V2, "a", "b", "c");
    ready("a", "b", "c");

    assertPause(next(), Duration.ZERO);
    ready("a", "b", "c");

    assertThat(asked).containsExactly("a");
    assertThat(executor.delays())
        .singleElement()
        .satisfies(pause -> assertPause(pause, ChainPoller.HURRIED));
    assertThat(known("c")).contains(V2);
  }

  @Test
  void answerIsDroppedIfTheLastNodeOfItsChainWasDeletedMeanwhile() {
    var late = new CompletableFuture<ChainAnswer>();
    pending.put("a", late);
    ready("a");
    next();
    executor.onNextInstant(
        () -> {
          memory.drop(id("a"));
          ready("b");
        });
    allSay(50, V2, "a");

    late.complete(answers.get("a"));

    assertThat(known("b")).isEmpty();
  }

  @Test
  void nodeStopsForASnapshotOnlyOnceItHasToldItsHeight() {
    allSay(50, V2, "a");
    ready("a", "b");
    next();
    var answer = new CompletableFuture<ChainAnswer>();
    pending.put("b", answer);
    woken.clear();

    assertThat(poller.awaitsHeight(view("b"), "first")).isTrue();
    assertThat(poller.awaitsHeight(view("b"), "first")).isTrue();
    assertThat(asked).containsExactly("a", "b");
    allSay(60, V2, "b");
    answer.complete(answers.get("b"));

    assertThat(woken).containsExactly("b");
    assertThat(poller.awaitsHeight(view("b"), "first")).as("it was observed before that").isTrue();
    NodeView heard = view("b").withHeight(poller.height(node("b")));
    assertThat(heard.height()).contains(60L);
    assertThat(poller.awaitsHeight(heard, "first")).isFalse();
  }

  @Test
  void nodeThatDoesNotTellItsHeightStopsForTheSnapshotAllTheSame() {
    ready("a");
    var answer = new CompletableFuture<ChainAnswer>();
    pending.put("a", answer);
    assertThat(poller.awaitsHeight(view("a"), "first")).isTrue();

    answer.completeExceptionally(new IllegalStateException("does not answer"));

    assertThat(woken).containsExactly("a");
    assertThat(poller.awaitsHeight(view("a"), "first")).isFalse();
    unready("a");
    assertThat(poller.awaitsHeight(view("a"), "second")).isFalse();
    assertThat(asked).containsExactly("a");
  }

  @Test
  void heightOfANodeIsWhatItSaidItself() {
    allSay(50, V2, "a");
    allSay(60, V2, "b");
    ready("a", "b");
    next();
    assertThat(poller.height(node("b"))).isEmpty();
    next();

    assertThat(poller.height(node("a"))).contains(50L);
    assertThat(poller.height(node("b"))).contains(60L);
    memory.drop(id("b"));
    assertThat(poller.height(node("b"))).isEmpty();
  }

  @Test
  void aFleetIsGivenTheLastAnswerAndTheRateOnceTwoAnswersShowIt() {
    allSay(50, V2, "a");
    ready("a");
    assertThat(poller.lastHeard("sei", CHAIN)).isEmpty();
    next();
    ChainState first = poller.lastHeard("sei", CHAIN).orElseThrow();
    assertThat(first.height()).isEqualTo(50L);
    assertThat(first.blocksPerSecond()).isEmpty();
    assertThat(first.planned()).contains(V2);

    allSay(60, V2, "a");
    next();

    ChainState second = poller.lastHeard("sei", CHAIN).orElseThrow();
    assertThat(second.height()).isEqualTo(60L);
    assertThat(second.blocksPerSecond()).hasValue(1);
    assertThat(second.time()).isEqualTo(first.time().plusSeconds(10));
    assertThat(poller.lastHeard("other", CHAIN)).isEmpty();
  }

  @Test
  void eachNamespaceAndChainIsAskedForItself() {
    allSay(50, V2, "a", "b", "c");
    ready("a");
    poller.observe(new ResourceID("b", "other"), CHAIN, rpc("b"));
    poller.observe(id("c"), "pacific-1", rpc("c"));
    executor.run();

    assertThat(asked).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(poller.reports())
        .extracting(ChainReport::namespace, ChainReport::chainId)
        .containsExactlyInAnyOrder(
            tuple("sei", CHAIN), tuple("other", CHAIN), tuple("sei", "pacific-1"));
  }

  @Test
  void nextNodeIsAskedNextAndAfterTheLastTheFirst() {
    allSay(50, V2, "a", "b", "c");
    ready("a", "b", "c");
    unready("b");
    next();
    next();
    next();

    assertThat(asked).containsExactly("a", "c", "a");
  }

  @Test
  void anotherNodeIsAskedSoonWhenOneDoesNotAnswerButOnlyOnce() {
    allSay(50, V2, "a");
    ready("a", "b");
    next();
    answers.clear();

    assertPause(next(), ChainPoller.HURRIED);
    assertPause(next(), ChainPoller.HURRIED);

    assertThat(asked).containsExactly("a", "b", "a");
    assertThat(executor.delays())
        .singleElement()
        .satisfies(pause -> assertPause(pause, ChainPoller.HURRIED));
    assertThat(known("a")).contains(V2);
  }

  @Test
  void anotherNodeIsAskedAfterHalfAMinuteWhereNothingIsPlanned() {
    allSay(50, null, "a");
    ready("a", "b");
    next();

    assertPause(next(), ChainPoller.CALM);
    assertPause(next(), ChainPoller.AGAIN);
  }

  @Test
  void nodesAreAskedSoonUntilOneHasAnswered() {
    ready("a", "b");
    next();
    assertPause(next(), Backoff.OF_TASKS.after(1));
    assertPause(next(), Backoff.OF_TASKS.after(2));
    allSay(50, V2, "a", "b");

    next();

    assertThat(known("a")).contains(V2);
    assertThat(executor.delays())
        .singleElement()
        .satisfies(pause -> assertPause(pause, ChainPoller.HURRIED));
  }

  @Test
  void deadNodeDelaysNoOtherAnswer() {
    allSay(50, V2, "b");
    ready("a", "b");

    next();
    next();

    assertThat(known("a")).contains(V2);
    assertThat(woken).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void nobodyIsAskedWithoutAPodThatIsReadyAndOnceThereIsOneItIsAskedAtOnce() {
    allSay(50, V2, "a");
    unready("a");
    assertThat(executor.delays()).isEmpty();

    ready("a");
    next();
    unready("a");
    assertPause(next(), ChainPoller.HURRIED);
    assertThat(executor.delays()).isEmpty();
    assertThat(known("a")).as("what a node said that halted since").contains(V2);

    ready("a");
    assertPause(next(), Duration.ZERO);
    assertThat(asked).containsExactly("a", "a");
  }

  @Test
  void nodeThatWasObservedBeforeTheNewsIsWokenToo() {
    allSay(50, V2, "a");
    NodeView early = view("b");
    ready("a");
    next();
    woken.clear();

    poller.observe(early);
    assertThat(woken).containsExactly("b");
    poller.observe(early.withChain(poller.known(node("b"))));
    assertThat(woken).containsExactly("b");
  }

  @Test
  void newHeightWakesNoNode() {
    allSay(50, V2, "a", "b");
    ready("a", "b");
    next();
    woken.clear();

    allSay(60, V2, "a", "b");
    next();

    assertThat(woken).isEmpty();
    assertThat(poller.reports()).extracting(report -> report.known().height()).containsExactly(60L);
  }

  @Test
  void planThatVanishesIsConfirmedByAnotherNodeAtOnceAndWakesAll() {
    allSay(50, V2, "a", "b");
    ready("a", "b");
    next();
    woken.clear();

    allSay(60, null, "a", "b");
    next();
    assertThat(woken).isEmpty();
    assertPause(next(), Duration.ZERO);

    assertThat(asked).containsExactly("a", "b", "a");
    assertThat(woken).containsExactlyInAnyOrder("a", "b");
    assertThat(known("a")).isEmpty();
  }

  /** The other node may be restarting. */
  @Test
  void planIsNotDroppedForTwoAnswersOfOneNode() {
    allSay(50, V2, "a", "b");
    ready("a", "b");
    next();
    next();
    allSay(60, null, "a");
    answers.remove("b");

    for (int i = 0; i < 4; i++) {
      next();
    }
    assertThat(asked).containsExactly("a", "b", "a", "b", "a", "b");
    assertThat(known("a")).contains(V2);

    allSay(60, null, "b");
    next();
    next();
    assertThat(known("a")).as("two nodes do not know it").isEmpty();
  }

  @Test
  void planThatIsPastIsDroppedForTwoAnswersOfOneNode() {
    allSay(50, V2, "a", "b");
    ready("a", "b");
    next();
    next();
    allSay(100, null, "a");
    answers.remove("b");

    next();
    next();
    next();

    assertThat(known("a")).isEmpty();
  }

  @Test
  void nodeThatHidesThePlanIsNotBelieved() {
    allSay(50, V2, "a", "b");
    ready("a", "b");
    next();
    woken.clear();

    allSay(59, V2, "a");
    allSay(60, null, "b");
    next();
    next();

    assertThat(known("a")).contains(V2);
    assertThat(woken).isEmpty();
    assertThat(executor.delays())
        .singleElement()
        .satisfies(pause -> assertPause(pause, ChainPoller.HURRIED));
  }

  @Test
  void secondWitnessOfAPlanIsAskedAtOnceWhereANodeListsItAndMayBeOfAnotherNamespace() {
    allSay(50, V2, "a", "b");
    ready("a", "b");
    poller.note(id("b"), true, false);
    next();
    assertThat(isWitnessed()).isFalse();
    woken.clear();
    assertPause(next(), Duration.ZERO);
    assertThat(woken).containsExactly("b");
    assertThat(isWitnessed()).isTrue();
    memory.drop(id("b"));
    assertThat(isWitnessed()).isFalse();
    poller.observe(new ResourceID("b", "other"), CHAIN, rpc("b"));
    next();
    next();
    assertThat(isWitnessed()).isTrue();
  }

  @Test
  void answerFromTheFutureIsNone() {
    answers.put(
        "a", new ChainAnswer(new ChainHead(CHAIN, 50, NOW.plusSeconds(3600)), Optional.of(V2)));
    ready("a");

    next();

    assertThat(known("a")).isEmpty();
    assertThat(executor.delays())
        .singleElement()
        .satisfies(pause -> assertPause(pause, Backoff.OF_TASKS.after(1)));
  }

  @Test
  void nodeThatFreezesIsAskedOnlyWhereNobodyElseCanBeAndSilentlyLeftBehind() {
    allSay(50, V2, "a");
    ready("a", "frozen");
    poller.note(id("frozen"), false, true);
    next();
    next();
    assertThat(asked).containsExactly("a", "a");
    unready("a");
    next();
    assertThat(asked).endsWith("frozen");
    assertPause(next(), ChainPoller.HURRIED);
  }

  @ParameterizedTest
  @CsvSource({
    "PT72H,   PT5M",
    "PT20M,   PT5M",
    "PT10M,   PT2M30S",
    "PT1M,    PT15S",
    "PT10S,   PT10S",
    ",        PT5M"
  })
  void chainIsAskedAtAQuarterOfItsVotingPeriodWithinLimits(Duration period, Duration pace) {
    votingPeriod = period;
    allSay(50, null, "a");
    ready("a");
    next();

    assertPause(next(), pace);
  }

  @Test
  void votingPeriodIsAskedForOnceADayAndUntilItIsKnown() {
    allSay(50, null, "a");
    ready("a");
    next();
    next();
    assertThat(periodsAsked).isEqualTo(2);
    votingPeriod = Duration.ofDays(1);
    next();
    for (int polls = 0; polls < 100; polls++) {
      next();
    }
    assertThat(periodsAsked).as("in less than a day").isEqualTo(3);
    for (int polls = 0; polls < 300; polls++) {
      next();
    }
    assertThat(periodsAsked).as("in more than one day").isEqualTo(4);
  }

  /** Blocks are made at one per second, so that the height is as many seconds away. */
  @ParameterizedTest
  @CsvSource({
    "86400, PT5M",
    "3910,  PT5M",
    "3800,  PT3M20S",
    "3609,  PT10S",
    "3600,  PT10S",
    "60,    PT10S"
  })
  void chainIsAskedEveryTenSecondsInTheLastHour(long blocksAhead, Duration pace) {
    UpgradePlan plan = new UpgradePlan("v2", 100 + blocksAhead, false);
    allSay(50, plan, "a");
    ready("a");
    next();
    allSay(100, plan, "a");
    assertPause(next(), ChainPoller.HURRIED);

    assertPause(next(), pace);
  }

  @Test
  void expeditedPlanIsWitnessedBeforeItsHeight() {
    votingPeriod = Duration.ofMinutes(2);
    allSay(50, null, "a", "b");
    ready("a", "b");
    poller.note(id("a"), true, false);
    next();
    allPropose(new UpgradePlan("v2", 200, false), "a", "b");

    executor.advance(Duration.ofSeconds(30));
    assertThat(poller.known(node("a")).orElseThrow().proposed())
        .as("the vote has only begun")
        .hasSize(1);
    allSay(170, new UpgradePlan("v2", 200, false), "a", "b");
    executor.advance(Duration.ofSeconds(30));

    assertThat(isWitnessed()).as("before height 200").isTrue();
  }

  @Test
  void proposalThatAppearsOrVanishesWakesAllAndOneThatIsNotToldStays() {
    allSay(50, null, "a", "b");
    ready("a", "b");
    next();
    woken.clear();
    allPropose(V2, "b");
    next();
    assertThat(woken).containsExactlyInAnyOrder("a", "b");
    woken.clear();

    allSay(60, null, "a");
    next();
    assertThat(woken).isEmpty();

    allPropose(null, "b");
    next();
    assertThat(woken).containsExactlyInAnyOrder("a", "b");
  }

  @Test
  void chainIsForgottenWithItsLastNode() {
    allSay(50, V2, "a", "b");
    ready("a", "b");
    next();

    memory.drop(id("a"));
    assertThat(poller.reports()).hasSize(1);
    memory.drop(id("b"));
    next();

    assertThat(poller.reports()).isEmpty();
    assertThat(asked).hasSize(1);
    assertThat(executor.delays()).isEmpty();
  }

  private CompletableFuture<ChainAnswer> ask(NodeRpc node) {
    asked.add(node.nodeName());
    if (pending.containsKey(node.nodeName())) {
      return pending.get(node.nodeName());
    }
    ChainAnswer answer = answers.get(node.nodeName());
    return answer == null
        ? CompletableFuture.failedFuture(new IllegalStateException("does not answer"))
        : CompletableFuture.completedFuture(answer);
  }

  private void allSay(long height, UpgradePlan plan, String... nodes) {
    var head = new ChainHead(CHAIN, height, NOW.minusSeconds(100 - height));
    for (String node : nodes) {
      answers.put(node, new ChainAnswer(head, Optional.ofNullable(plan)));
    }
  }

  /** Nodes vote on a plan; null ends the vote. */
  private void allPropose(UpgradePlan plan, String... nodes) {
    for (String node : nodes) {
      ChainAnswer said = answers.get(node);
      var voted = Optional.ofNullable(plan).stream().toList();
      answers.put(node, new ChainAnswer(said.head(), said.plan(), Optional.of(voted)));
    }
  }

  private void ready(String... nodes) {
    for (String node : nodes) {
      poller.observe(id(node), CHAIN, rpc(node));
    }
  }

  private void unready(String node) {
    poller.observe(id(node), CHAIN, Optional.empty());
  }

  /** Sends the next request, and returns how long after the last answer it was due. */
  private Duration next() {
    return executor.runNext();
  }

  /** Polls are up to a tenth early. */
  private static void assertPause(Duration pause, Duration demanded) {
    assertThat(pause).isBetween(demanded.multipliedBy(9).dividedBy(10), demanded);
  }

  private Optional<UpgradePlan> known(String node) {
    return poller.known(node(node)).flatMap(ChainState::planned);
  }

  private boolean isWitnessed() {
    return poller.known(node("a")).orElseThrow().isWitnessed();
  }

  private static SeiNode node(String name) {
    SeiNode node = aNode("sei:a").build();
    node.getMetadata().setNamespace("sei");
    node.getMetadata().setName(name);
    return node;
  }

  private static NodeView view(String node) {
    return aNode(node(node)).view();
  }

  private static ResourceID id(String node) {
    return new ResourceID(node, "sei");
  }

  private static Optional<NodeRpc> rpc(String node) {
    return Optional.of(new NodeRpc("sei", node, Optional.of("10.0.0.1")));
  }
}
