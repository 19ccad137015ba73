package io.sei.operator.testkit;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Chooses the cases of a test to run: a few by {@code make test}, all in the long tier. */
public final class Cases {

  private static final boolean ALL = Boolean.getBoolean("cases.all");

  private Cases() {}

  /** The seeds from zero on. */
  public static IntStream seeds(int few, int all) {
    return IntStream.range(0, count(few, all));
  }

  /** One of the two numbers. */
  public static int count(int few, int all) {
    return ALL ? all : few;
  }

  /** The first of these, or all. */
  public static <T> Stream<T> of(int few, List<T> all) {
    return all.stream().limit(count(few, all.size()));
  }

  /** Returns the first cases, or all. */
  @SafeVarargs
  public static <T> Stream<T> of(int few, T... all) {
    return of(few, Arrays.asList(all));
  }
}
