package io.sei.operator.demo;

import java.io.BufferedReader;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Breaks and heals what the user names on standard input while the demo keeps running. */
final class Playground {

  /** The parts of the world that can be broken without the operator's knowledge. */
  interface World {

    /** Every seid stops at the height of an upgrade, until it gets another image. */
    void halt(String upgrade);

    /** Seid of a node crashes again and again. */
    void crash(String node);

    /** The registry has no such image. */
    void badImage(String image);

    /** The machine of all pods is cut off. */
    void loseMachine();

    /** Whatever was broken works again. */
    void heal();
  }

  private static final List<String> HELP =
      List.of(
          "bad-image IMAGE  it cannot be pulled any more",
          "crash NODE       its seid crashes again and again",
          "halt UPGRADE     every seid stops at its height, until it gets another image",
          "heal             whatever you broke works again",
          "lose-machine     the machine of all pods is cut off");

  private final World world;
  private final Consumer<String> out;

  Playground(World world, Consumer<String> out) {
    this.world = world;
    this.out = out;
  }

  /** Returns the commands, one per line. */
  static Stream<String> help() {
    return HELP.stream();
  }

  /** Does what is typed, to the end of the input. */
  void play(BufferedReader input) {
    input.lines().forEach(this::carryOut);
  }

  private void carryOut(String typed) {
    try {
      if (!execute(typed.strip().split("\\s+"))) {
        HELP.forEach(out);
      }
    } catch (RuntimeException e) {
      out.accept(e.getMessage());
    }
  }

  /** Returns false if the words are no command. */
  private boolean execute(String... words) {
    switch (words[0] + " ARGUMENT".repeat(words.length - 1)) {
      case "bad-image ARGUMENT" -> world.badImage(words[1]);
      case "crash ARGUMENT" -> world.crash(words[1]);
      case "halt ARGUMENT" -> world.halt(words[1]);
      case "heal" -> world.heal();
      case "lose-machine" -> world.loseMachine();
      default -> {
        return false;
      }
    }
    return true;
  }
}
