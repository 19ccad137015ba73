package io.sei.operator.demo;

import java.io.BufferedReader;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** What breaks and heals when somebody types it while the demo keeps running. */
final class Playground {

  /** What can be broken; the operator is not told. */
  interface World {

    /** Every seid stops at the height of an upgrade, until it gets another image. */
    void halt(String upgrade);

    /** Seid of a node crashes again and again. */
    void crash(String node);

    /** Nobody can pull this image. */
    void badImage(String image);

    /** The machine of all pods is cut off. */
    void loseMachine();

    /** Whatever was broken works again. */
    void heal();
  }

  private record Line(String help, int words, BiConsumer<World, List<String>> action) {}

  private static final Map<String, Line> LINES =
      new TreeMap<>(
          Map.of(
              "halt",
              new Line(
                  "halt UPGRADE     every seid stops at its height, until it gets another image",
                  2,
                  (world, words) -> world.halt(words.get(1))),
              "crash",
              new Line(
                  "crash NODE       its seid crashes again and again",
                  2,
                  (world, words) -> world.crash(words.get(1))),
              "bad-image",
              new Line(
                  "bad-image IMAGE  nobody can pull it",
                  2,
                  (world, words) -> world.badImage(words.get(1))),
              "lose-machine",
              new Line(
                  "lose-machine     the machine of all pods is cut off",
                  1,
                  (world, words) -> world.loseMachine()),
              "heal",
              new Line(
                  "heal             whatever you broke works again",
                  1,
                  (world, words) -> world.heal())));

  private final World world;
  private final Consumer<String> out;

  Playground(World world, Consumer<String> out) {
    this.world = world;
    this.out = out;
  }

  /** What may be typed, a line each. */
  static Stream<String> help() {
    return LINES.values().stream().map(Line::help);
  }

  /** Does what is typed, to the end of the input. */
  void play(BufferedReader input) {
    input.lines().forEach(this::carryOut);
  }

  private void carryOut(String typed) {
    List<String> words = List.of(typed.strip().split("\\s+"));
    Line line = LINES.get(words.get(0));
    if (line == null || line.words() != words.size()) {
      help().forEach(out);
      return;
    }
    try {
      line.action().accept(world, words);
    } catch (RuntimeException e) {
      out.accept(e.getMessage());
    }
  }
}
