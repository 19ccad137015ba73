package io.sei.operator.base;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.function.Function;

/**
 * Reads what no watch reports, and keeps the answer for a time. One question at a time is kept of
 * each owner: the answer to an earlier one is never given, not even where it arrives late. A
 * question therefore carries all that its answer depends on, the uid of what it is about above all.
 *
 * <p>How many reads run at a time, and whose, is up to the executor, and how long one may take is
 * up to the client that reads.
 *
 * @param <K> what an owner is known by
 * @param <Q> what is asked
 * @param <V> what is answered
 */
public final class Lookup<K, Q, V> {

  /**
   * How long answers are good for.
   *
   * @param known of a read that succeeded
   * @param failed of one that failed; until then nobody is asked again
   */
  public record Ages(Duration known, Duration failed) {

    /** Of an answer that does not change while its question does not. */
    public static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    private boolean isOver(Answer<?> answer, Instant now) {
      return switch (answer) {
        case Answer.Known<?> known -> isOver(known.at(), this.known, now);
        case Answer.Failed<?> failed -> isOver(failed.at(), this.failed, now);
        case Answer.Unasked<?> _ -> true;
      };
    }

    private static boolean isOver(Instant at, Duration age, Instant now) {
      return now.isBefore(at) || Duration.between(at, now).compareTo(age) >= 0;
    }
  }

  /**
   * A question, with the answer to it.
   *
   * @param reading what is under way about it; null if nothing is
   */
  private record Asked<Q, V>(Q question, Answer<V> answer, Object reading) {}

  private final PerObjectState<K> memory;
  private final PerObjectMap<K, Asked<Q, V>> asked;
  private final Function<Q, V> source;
  private final Ages ages;
  private final OwnedExecutor<K> executor;

  /**
   * Reads away from whoever asks, and wakes an owner for whom the answer has changed.
   *
   * @param source reads; what it throws is a failure
   * @param executor where it reads
   */
  public Lookup(
      PerObjectState<K> memory, Function<Q, V> source, Ages ages, OwnedExecutor<K> executor) {
    this.memory = memory;
    this.asked = memory.newMap();
    this.source = source;
    this.ages = ages;
    this.executor = executor;
  }

  /**
   * What is known; begins to read what is not, or is no longer good.
   *
   * @param now from which the age of a new answer counts; a clock that is set back makes all old
   */
  public Answer<V> ask(K owner, Q question, Instant now) {
    var reading = new Object();
    asked
        .compute(owner, before -> begun(before, question, now, reading))
        .filter(it -> it.reading() == reading)
        .ifPresent(due -> executor.execute(owner, () -> read(owner, due, now)));
    return asked
        .get(owner)
        .filter(it -> it.question().equals(question))
        .map(Asked::answer)
        .orElseGet(Answer.Unasked::new);
  }

  private Asked<Q, V> begun(Asked<Q, V> before, Q question, Instant now, Object reading) {
    if (before == null || !before.question().equals(question)) {
      return new Asked<>(question, new Answer.Unasked<>(), reading);
    }
    return before.reading() == null && ages.isOver(before.answer(), now)
        ? new Asked<>(question, before.answer(), reading)
        : before;
  }

  private void read(K owner, Asked<Q, V> begun, Instant now) {
    Answer<V> answer = answer(begun.question(), now);
    boolean isKept =
        asked
            .computeIfPresent(
                owner,
                it ->
                    it.reading() == begun.reading() ? new Asked<>(it.question(), answer, null) : it)
            .filter(it -> it.answer() == answer)
            .isPresent();
    if (isKept && isNews(begun.answer(), answer)) {
      memory.wake(owner);
    }
  }

  private Answer<V> answer(Q question, Instant now) {
    try {
      return new Answer.Known<>(source.apply(question), now);
    } catch (RuntimeException e) {
      return new Answer.Failed<>(e, now);
    }
  }

  private static boolean isNews(Answer<?> before, Answer<?> now) {
    return !Objects.equals(content(before), content(now));
  }

  private static Object content(Answer<?> answer) {
    return switch (answer) {
      case Answer.Known<?> known -> known.known();
      case Answer.Failed<?> failed -> failed.why().toString();
      case Answer.Unasked<?> unasked -> unasked;
    };
  }
}
