package io.sei.operator.base;

import java.util.Optional;

/**
 * State of a question that a {@link Poller} asks.
 *
 * @param <V> type of the answer
 */
public sealed interface Answer<V> {

  /** The last answer; empty if the last request failed, or none has ended. */
  default Optional<V> value() {
    return this instanceof Known<V>(V known) ? Optional.of(known) : Optional.empty();
  }

  /** The last request was answered. */
  record Known<V>(V known) implements Answer<V> {}

  /** The last request failed. */
  record Failed<V>(RuntimeException why) implements Answer<V> {}

  /** No request has ended yet. */
  record Unasked<V>() implements Answer<V> {}
}
