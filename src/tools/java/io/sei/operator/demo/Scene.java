package io.sei.operator.demo;

import java.time.Duration;
import java.util.function.BiPredicate;
import java.util.function.Consumer;

/**
 * One thing that happens to a node or a fleet, and how it is to end.
 *
 * @param name for the summary
 * @param story what happens, in one sentence
 * @param action makes it happen
 * @param end whether it has ended well
 * @param limit how long that may take
 * @param encore shows what came of it
 */
record Scene(
    String name,
    String story,
    Consumer<Stage> action,
    BiPredicate<Stage, LiveView> end,
    Duration limit,
    Consumer<Stage> encore) {

  /** A scene after which nothing more is shown. */
  Scene(
      String name,
      String story,
      Consumer<Stage> action,
      BiPredicate<Stage, LiveView> end,
      Duration limit) {
    this(name, story, action, end, limit, stage -> {});
  }
}
