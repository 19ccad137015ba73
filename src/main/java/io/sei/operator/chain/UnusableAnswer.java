package io.sei.operator.chain;

/** A node that does not say how its chain is; the message says what it did instead. */
public final class UnusableAnswer extends RuntimeException {

  UnusableAnswer(String message) {
    super(message);
  }
}
