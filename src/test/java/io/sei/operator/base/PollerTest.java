package io.sei.operator.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.base.Poller.Demand;
import io.sei.operator.testkit.ManualExecutor;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

class PollerTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration RETRY = Duration.ofSeconds(30);
  private static final Demand MINUTELY = new Demand(MINUTE, RETRY, Duration.ofMinutes(10));

  /** The uid stands for all that an answer depends on. */
  private record Question(String uid) {}

  private static final Question FIRST = new Question("1");
  private static final Question SECOND = new Question("2");

  private final ManualExecutor<String> executor =
      ManualExecutor.lazy(Instant.parse("2026-11-25T12:00:00Z"));
  private final List<String> asked = new ArrayList<>();
  private final List<String> woken = new ArrayList<>();
  private final PerObjectState<String> memory = new PerObjectState<>(woken::add);
  private final Poller<String, Question, String> poller =
      Poller.waiting(executor.polling(memory), this::read);
  private String world = "a";

  @Test
  void askerGetsTheAnswerOnceItIsThereAndItsOwnerIsReconciled() {
    assertThat(ask(FIRST, MINUTELY)).isEqualTo(new Answer.Unasked<>());
    assertThat(ask(FIRST, MINUTELY)).isEqualTo(new Answer.Unasked<>());
    assertThat(executor.due()).as("one request at a time").isOne();

    executor.run();

    assertThat(ask(FIRST, MINUTELY)).isEqualTo(new Answer.Known<>("a of 1"));
    assertThat(woken).containsExactly("owner");
  }

  @Test
  void ownerIsPolledAtItsPaceAndReconciledOnlyWhenTheAnswerHasChanged() {
    ask(FIRST, MINUTELY);
    executor.advance(MINUTE.multipliedBy(3));
    assertThat(asked).hasSizeBetween(4, 5);
    assertThat(woken).hasSize(1);

    world = "b";
    executor.advance(MINUTE);

    assertThat(ask(FIRST, MINUTELY)).isEqualTo(new Answer.Known<>("b of 1"));
    assertThat(woken).hasSize(2);
  }

  @Test
  void anAnswerThatChangesNothingAPassReadsDoesNotReconcile() {
    assertThat(readLength()).isEqualTo(6);
    executor.run();
    world = "b";
    executor.advance(MINUTE);
    assertThat(woken).isEmpty();

    world = "longer";
    executor.advance(MINUTE);

    assertThat(woken).containsExactly("owner");
    assertThat(readLength()).isEqualTo(11);
  }

  @Test
  void failureIsRetriedAtAPaceOfItsOwnAndTheSameFailureIsNoNews() {
    world = null;
    ask(FIRST, Demand.once(RETRY));
    executor.advance(MINUTE);

    assertThat(asked).hasSize(3);
    assertThat(woken).hasSize(1);
    assertThat(poller.ask("owner", FIRST, Demand.once(RETRY)))
        .isInstanceOfSatisfying(
            Answer.Failed.class, failed -> assertThat(failed.why()).hasMessage("refused"));
  }

  @Test
  void oneAnswerHoldsAsLongAsItsQuestion() {
    ask(FIRST, Demand.once(RETRY));
    executor.advance(Duration.ofDays(3650));
    ask(FIRST, Demand.once(RETRY));
    executor.run();

    assertThat(asked).containsExactly("1");
  }

  @Test
  void shortestPeriodOfAllAskersSetsThePace() {
    ask(FIRST, MINUTELY);
    executor.run();
    poller.ask("owner", FIRST, "hurried", new Demand(Duration.ofSeconds(1), RETRY, RETRY));

    executor.advance(Duration.ofSeconds(10));
    assertThat(asked).hasSizeBetween(10, 13);

    executor.advance(RETRY.minusSeconds(10));
    asked.clear();
    executor.advance(MINUTE);
    assertThat(asked).as("the hurried demand is over").hasSizeBetween(1, 2);
  }

  @Test
  void demandOfOneAskerEndsWhenItIsWithdrawn() {
    ask(FIRST, MINUTELY);
    poller.ask("owner", FIRST, "hurried", Demand.every(Duration.ofSeconds(1)));
    executor.run();
    poller.withdraw("owner", "hurried");
    executor.advance(Duration.ofSeconds(30));

    assertThat(asked).as("one was due already").hasSizeBetween(1, 2);
  }

  @Test
  void demandThatIsNotRepeatedExpires() {
    ask(FIRST, MINUTELY);
    executor.advance(MINUTELY.lasting());
    asked.clear();

    executor.advance(Duration.ofHours(1));
    assertThat(asked).isEmpty();

    ask(FIRST, MINUTELY);
    executor.run();
    assertThat(asked).hasSize(1);
  }

  @Test
  void answerToAnEarlierQuestionIsNeverGiven() {
    Queue<CompletableFuture<String>> answers = new ArrayDeque<>();
    var slow = slow(answers);
    slow.ask("owner", FIRST, MINUTELY);
    executor.run();
    slow.ask("owner", SECOND, MINUTELY);
    executor.run();
    answers.remove().complete("late");

    assertThat(slow.ask("owner", SECOND, MINUTELY)).isEqualTo(new Answer.Unasked<>());
    assertThat(woken).isEmpty();

    answers.remove().complete("now");
    assertThat(slow.ask("owner", SECOND, MINUTELY)).isEqualTo(new Answer.Known<>("now"));
  }

  @Test
  void listenerIsHandedTheQuestionThatWasAnsweredIfItIsReplacedMeanwhile() {
    var answer = new CompletableFuture<String>();
    var answered = new ArrayList<Question>();
    var listened =
        new Poller<String, Question, String>(
            executor.polling(memory),
            question -> answer,
            (owner, question, now) -> answered.add(question));
    listened.ask("owner", FIRST, MINUTELY);
    executor.run();

    executor.onNextInstant(() -> listened.ask("owner", SECOND, MINUTELY));
    answer.complete("late");

    assertThat(answered).containsExactly(FIRST);
    assertThat(listened.ask("owner", SECOND, MINUTELY)).isEqualTo(new Answer.Unasked<>());
  }

  @Test
  void lateAnswerBringsNoDroppedOwnerBack() {
    Queue<CompletableFuture<String>> answers = new ArrayDeque<>();
    var slow = slow(answers);
    slow.ask("owner", FIRST, MINUTELY);
    executor.run();
    memory.drop("owner");
    answers.remove().complete("late");

    assertThat(woken).isEmpty();
    executor.advance(Duration.ofHours(1));
    assertThat(answers).isEmpty();
  }

  @Test
  void ownersThatBeganTogetherAreNotPolledTogether() {
    for (int owner = 0; owner < 100; owner++) {
      poller.ask("owner-" + owner, FIRST, MINUTELY);
    }
    executor.run();
    asked.clear();

    executor.advance(Duration.ofSeconds(53));
    assertThat(asked).isEmpty();
    executor.advance(Duration.ofSeconds(4));
    assertThat(asked).hasSizeBetween(30, 90);
    executor.advance(Duration.ofSeconds(3));
    assertThat(asked).hasSize(100);
  }

  @Test
  void pollsThatAreDueWithinAQuarterOfASecondBeginTogether() {
    for (int owner = 0; owner < 100; owner++) {
      poller.ask("owner-" + owner, FIRST, Demand.every(Duration.ofSeconds(10)));
    }
    executor.run();

    assertThat(executor.delays().stream().distinct()).hasSizeBetween(2, 5);
  }

  @Test
  void requestHasItsPermitUntilItIsAnswered() throws InterruptedException {
    var answer = new CompletableFuture<String>();
    var begun = new Semaphore(0);
    try (var fair = new FairExecutor<String>("polls", owner -> owner, new FairSemaphore(1, 1, 0))) {
      var limited =
          new Poller<String, Question, String>(
              new Polling<>(memory, fair, executor.clock()),
              question -> {
                begun.release();
                return answer;
              },
              (owner, question, now) -> false);
      limited.ask("one", FIRST, MINUTELY);
      begun.acquire();
      limited.ask("other", FIRST, MINUTELY);
      assertThat(begun.availablePermits()).isZero();

      answer.complete("done");

      begun.acquire();
    }
  }

  private Poller<String, Question, String> slow(Queue<CompletableFuture<String>> answers) {
    return new Poller<>(
        executor.polling(memory),
        question -> {
          var answer = new CompletableFuture<String>();
          answers.add(answer);
          return answer;
        },
        (owner, question, answer) -> true);
  }

  /** Asks for a pass that reads the whole answer, and of a failure its message. */
  private Answer<String> ask(Question question, Demand demand) {
    poller.read(
        "owner",
        question,
        demand,
        answer ->
            answer instanceof Answer.Failed<String> failed ? failed.why().getMessage() : answer);
    return poller.ask("owner", question, demand);
  }

  /**
   * Asks for a pass that reads the length of the answer, and takes it for 6 before there is one.
   */
  private Integer readLength() {
    return poller.read(
        "owner", FIRST, MINUTELY, answer -> answer.value().map(String::length).orElse(6));
  }

  private String read(Question question) {
    asked.add(question.uid());
    if (world == null) {
      throw new IllegalStateException("refused");
    }
    return world + " of " + question.uid();
  }
}
