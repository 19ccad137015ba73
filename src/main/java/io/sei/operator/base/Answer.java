package io.sei.operator.base;

import java.time.Instant;

/**
 * What a {@link Lookup} knows about a question.
 *
 * @param <V> what is asked for
 */
public sealed interface Answer<V> {

  /**
   * It was read.
   *
   * @param at when it was asked for
   */
  record Known<V>(V known, Instant at) implements Answer<V> {}

  /**
   * It could not be read.
   *
   * @param at when it was asked for
   */
  record Failed<V>(RuntimeException why, Instant at) implements Answer<V> {}

  /** No read has ended yet. */
  record Unasked<V>() implements Answer<V> {}
}
