package io.sei.operator.base;

/**
 * State of a question that a {@link Poller} asks.
 *
 * @param <V> type of the answer
 */
public sealed interface Answer<V> {

  /** The last request was answered. */
  record Known<V>(V known) implements Answer<V> {}

  /** The last request failed. */
  record Failed<V>(RuntimeException why) implements Answer<V> {}

  /** No request has ended yet. */
  record Unasked<V>() implements Answer<V> {}
}
