package io.sei.operator.soak;

import java.util.Random;

/**
 * Something that happens to the world.
 *
 * @param weight how often it happens, beside the others
 */
record Deed(String name, int weight, Doing doing) {

  /** Does it, and says what was chosen. */
  @FunctionalInterface
  interface Doing {
    String on(Random random);
  }
}
