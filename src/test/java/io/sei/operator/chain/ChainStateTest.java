package io.sei.operator.chain;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChainStateTest {

  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");

  /** Answers, as the plan's name or - for none, and what is believed after the last of them. */
  @ParameterizedTest(name = "{0} with others {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "v2        | true  | v2",
        "v2 v2     | true  | v2",
        "-         | true  | -",
        "- v2      | true  | v2",
        "v2 v3     | true  | v3",
        "v2 -      | true  | v2?",
        "v2 - -    | true  | -",
        "v2 - v2   | true  | v2",
        "v2 - v2 - | true  | v2?",
        "v2 - v3   | true  | v3",
        "v2 -      | false | -",
      })
  void planIsBelievedAtOnceAndGoneOnceTwoDoNotKnowIt(String said, boolean others, String known) {
    ChainState chain = null;
    for (String plan : said.split(" ")) {
      ChainAnswer answer = answer(50, plan.equals("-") ? null : plan, 100);
      chain = chain == null ? ChainState.of(answer) : chain.heard(answer, others);
    }

    assertThat(chain.planned().map(UpgradePlan::name).orElse("-") + (chain.isDoubted() ? "?" : ""))
        .isEqualTo(known);
  }

  @ParameterizedTest
  @CsvSource({"99, true", "100, false", "101, false"})
  void onlyAPlanAheadOfTheNodeIsPlanned(long height, boolean planned) {
    assertThat(ChainState.of(answer(height, "v2", 100)).planned().isPresent()).isEqualTo(planned);
  }

  @Test
  void timeIsKnownOnceThereAreTwoHeights() {
    ChainState chain = ChainState.of(answer(40, "v2", 100));
    assertThat(chain.plannedTime()).isEmpty();

    chain = chain.heard(answer(40, "v2", 100), true);
    assertThat(chain.plannedTime()).isEmpty();

    chain = chain.heard(answer(60, "v2", 100), true);
    assertThat(chain.plannedTime()).contains(NOW.plusSeconds(60 * 2 + 40 * 2));
    assertThat(chain.height()).isEqualTo(60);
  }

  @Test
  void chainThatStartsOverHasNoRateYet() {
    ChainState chain =
        ChainState.of(answer(40, "v2", 100))
            .heard(answer(60, "v2", 100), true)
            .heard(
                new ChainAnswer(new ChainHead("c", 5, NOW.plusSeconds(999)), plan("v2", 100)),
                true);

    assertThat(chain.plannedTime()).isEmpty();
    assertThat(chain.height()).isEqualTo(5);
  }

  @Test
  void nodeThatIsABlockBehindChangesNoRate() {
    ChainState chain =
        ChainState.of(answer(40, "v2", 100))
            .heard(answer(60, "v2", 100), true)
            .heard(answer(59, "v2", 100), true);

    assertThat(chain.plannedTime()).contains(NOW.plusSeconds(60 * 2 + 40 * 2));
  }

  @Test
  void heightThatIsYearsAwayHasNoTime() {
    ChainState chain =
        ChainState.of(answer(40, "v2", RpcAnswers.MAX_HEIGHT))
            .heard(answer(60, "v2", RpcAnswers.MAX_HEIGHT), true);

    assertThat(chain.plannedTime()).isEmpty();
  }

  @Test
  void rateIsThatOfTheLastHour() {
    BlockRate rate = BlockRate.of(new ChainHead("c", 1, NOW));
    for (int i = 1; i <= 30; i++) {
      rate = rate.with(new ChainHead("c", 1 + i * (i <= 15 ? 1L : 10L), NOW.plusSeconds(300L * i)));
    }

    assertThat(rate.heads()).hasSize(12);
    assertThat(rate.timeOf(301 + 10)).contains(NOW.plusSeconds(300 * 30 + 300));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-61   | its newest block is older than that of another node",
        "-60   |",
        "0     |",
        "60    |",
        "86400 | its newest block is from the future",
      })
  void answerOfAnotherTimeIsNotBelieved(long seconds, String objection) {
    ChainState known = ChainState.of(at(NOW));

    assertThat(ChainState.objection(at(NOW.plusSeconds(seconds)), Optional.of(known), NOW))
        .isEqualTo(Optional.ofNullable(objection));
  }

  private static ChainAnswer at(Instant time) {
    return new ChainAnswer(new ChainHead("c", 50, time), Optional.empty());
  }

  /** Returns the answer of a chain that makes a block every two seconds. */
  private static ChainAnswer answer(long height, String plan, long planned) {
    return new ChainAnswer(
        new ChainHead("c", height, NOW.plusSeconds(2 * height)), plan(plan, planned));
  }

  private static Optional<UpgradePlan> plan(String name, long height) {
    return Optional.ofNullable(name).map(text -> new UpgradePlan(text, height, false));
  }
}
