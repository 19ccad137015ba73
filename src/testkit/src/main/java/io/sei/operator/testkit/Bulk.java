package io.sei.operator.testkit;

/** Fills an object up to the limits of an API server. */
public final class Bulk {

  /** Bytes that the keys and values of an object's annotations may have together. */
  public static final int ALL_ANNOTATIONS = 256 * 1024;

  private Bulk() {}

  /** A word of this length. */
  public static String text(int length) {
    return "x".repeat(length);
  }
}
