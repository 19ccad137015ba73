package io.sei.operator.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class LookupTest {

  private static final Instant NOW = Instant.parse("2026-11-25T12:00:00Z");
  private static final Duration KNOWN = Duration.ofMinutes(10);
  private static final Duration FAILED = Duration.ofSeconds(30);

  /** The uid stands for all that an answer depends on. */
  private record Question(String uid) {}

  private static final Question FIRST = new Question("1");
  private static final Question SECOND = new Question("2");

  private final Queue<Runnable> reads = new ArrayDeque<>();
  private final List<String> asked = new ArrayList<>();
  private final List<String> woken = new ArrayList<>();
  private final PerObjectState<String> memory = new PerObjectState<>(woken::add);
  private final Lookup<String, Question, String> lookup =
      new Lookup<>(
          memory, this::read, new Lookup.Ages(KNOWN, FAILED), (owner, read) -> reads.add(read));
  private String world = "a";

  @Test
  void answersOnceItHasReadAndWakesTheOwner() {
    assertThat(ask(FIRST, NOW)).isEqualTo(new Answer.Unasked<>());
    assertThat(ask(FIRST, NOW)).isEqualTo(new Answer.Unasked<>());
    assertThat(reads).as("asked once while it reads").hasSize(1);

    runAll();

    assertThat(ask(FIRST, NOW)).isEqualTo(new Answer.Known<>("a of 1", NOW));
    assertThat(woken).containsExactly("owner");
  }

  @Test
  void answerThatHasGrownOldHoldsUntilItIsReadAgainAndWakesOnlyOnNews() {
    readAt(FIRST, NOW);
    assertThat(ask(FIRST, NOW.plus(KNOWN).minusMillis(1))).isEqualTo(ask(FIRST, NOW));
    assertThat(reads).isEmpty();

    assertThat(value(ask(FIRST, NOW.plus(KNOWN)))).contains("a of 1");
    runAll();
    assertThat(woken).as("no news").hasSize(1);

    world = "b";
    Instant later = NOW.plus(KNOWN).plus(KNOWN);
    readAt(FIRST, later);
    assertThat(ask(FIRST, later)).isEqualTo(new Answer.Known<>("b of 1", later));
    assertThat(woken).hasSize(2);
  }

  @Test
  void failureHasAnAgeOfItsOwn() {
    world = null;
    readAt(FIRST, NOW);
    assertThat(ask(FIRST, NOW))
        .isInstanceOfSatisfying(
            Answer.Failed.class, failed -> assertThat(failed.why()).hasMessage("refused"));
    assertThat(value(ask(FIRST, NOW))).isEmpty();

    ask(FIRST, NOW.plus(FAILED).minusMillis(1));
    assertThat(reads).isEmpty();

    readAt(FIRST, NOW.plus(FAILED));
    assertThat(asked).hasSize(2);
    assertThat(woken).as("the same failure again is no news").hasSize(1);
  }

  @Test
  void answerToAnEarlierQuestionIsNeverGiven() {
    ask(FIRST, NOW);
    ask(SECOND, NOW);
    reads.remove().run();

    assertThat(ask(SECOND, NOW)).isEqualTo(new Answer.Unasked<>());
    assertThat(woken).isEmpty();

    runAll();
    assertThat(value(ask(SECOND, NOW))).contains("a of 2");
    assertThat(ask(FIRST, NOW)).as("it was asked again").isEqualTo(new Answer.Unasked<>());
  }

  @Test
  void lateAnswerBringsNoDroppedOwnerBack() {
    ask(FIRST, NOW);
    memory.drop("owner");
    runAll();

    assertThat(woken).isEmpty();
    assertThat(ask(FIRST, NOW)).isEqualTo(new Answer.Unasked<>());
  }

  @Test
  void clockThatIsSetBackMakesAnswersOld() {
    readAt(FIRST, NOW);
    ask(FIRST, NOW.minusSeconds(1));

    assertThat(reads).hasSize(1);
  }

  @Test
  void answerMayHoldForever() {
    var forever = new Lookup.Ages(Lookup.Ages.FOREVER, FAILED);
    var lookup = new Lookup<>(memory, this::read, forever, (owner, read) -> read.run());

    assertThat(value(lookup.ask("other", FIRST, NOW))).contains("a of 1");
    lookup.ask("other", FIRST, NOW.plus(Duration.ofDays(3650)));
    assertThat(asked).hasSize(1);
  }

  private void readAt(Question question, Instant now) {
    ask(question, now);
    runAll();
  }

  private static Optional<String> value(Answer<String> answer) {
    return answer instanceof Answer.Known<String> known
        ? Optional.of(known.known())
        : Optional.empty();
  }

  private Answer<String> ask(Question question, Instant now) {
    return lookup.ask("owner", question, now);
  }

  private void runAll() {
    while (!reads.isEmpty()) {
      reads.remove().run();
    }
  }

  private String read(Question question) {
    asked.add(question.uid());
    if (world == null) {
      throw new IllegalStateException("refused");
    }
    return world + " of " + question.uid();
  }
}
