package io.sei.operator.testkit;

import java.util.stream.IntStream;

/** How much of a random test is run: a few seeds by {@code make test}, all in the long tier. */
public final class Seeds {

  private static final boolean ALL = Boolean.getBoolean("seeds.all");

  private Seeds() {}

  /** The seeds from zero on. */
  public static IntStream range(int few, int all) {
    return IntStream.range(0, count(few, all));
  }

  /** One of the two numbers. */
  public static int count(int few, int all) {
    return ALL ? all : few;
  }
}
