package io.sei.operator.crash;

/** Something that makes an operator work, again and again in the same world. */
interface Scenario {

  /** Brings about the world that the first round begins in. */
  void prepare();

  /** Gives the operator its work. */
  void begin();

  /** The work is done; throws if it is not, or not yet. */
  void assertDone();

  /**
   * Asserts that the work was done once, and that nothing was lost or done on the way that should
   * not have been.
   */
  void assertSound();

  /** Brings about the world that the next round begins in. */
  default void tidy() {}
}
