package io.sei.operator.diagnosis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * PURE: the panics of a Go program in its log. A block is what Go prints of one death: the panics
 * that came of one another, and then the traces. Lines of the log may stand between them, as they
 * come through another pipe.
 *
 * <p>Only a line that begins with {@code panic: } counts: Go indents the panics that followed, and
 * since 1.23 every line of a value but the first. Before that a value could begin a line of its
 * own, but never the first line of its block.
 */
final class GoPanics {

  private static final String PANIC = "panic: ";
  private static final String TRACE = "goroutine ";
  private static final String RUNNING = "[running";

  /** Trace lines name a file, an offset or where a goroutine came from. */
  private static final Predicate<String> OF_TRACE =
      line -> line.startsWith("\t") || line.startsWith("created by ") || line.contains("+0x");

  /**
   * Output of the Go runtime about one death.
   *
   * @param panics the lines that begin with a panic, never empty
   * @param traced whether a trace follows
   */
  record Block(List<String> panics, boolean traced) {

    String first() {
      return panics.get(0);
    }

    /** Returns whether nothing in it contradicts its first line. */
    boolean isUnambiguous() {
      return panics.stream().distinct().count() == 1;
    }
  }

  private GoPanics() {}

  /** All blocks, in the order of the log. */
  static List<Block> in(List<String> lines) {
    var blocks = new ArrayList<Block>();
    var open = new ArrayList<String>();
    for (String line : lines) {
      if (line.startsWith(PANIC)) {
        open.add(line);
      } else if (line.startsWith(TRACE) && !open.isEmpty()) {
        blocks.add(new Block(List.copyOf(open), true));
        open.clear();
      }
    }
    if (!open.isEmpty()) {
      blocks.add(new Block(List.copyOf(open), false));
    }
    return blocks;
  }

  /** The words of a panic; empty if the line does not begin with one. */
  static Optional<String> words(String line) {
    return line.startsWith(PANIC) ? Optional.of(line.substring(PANIC.length())) : Optional.empty();
  }

  /** Returns whether a trace is there, so that something was printed before it. */
  static boolean hasTrace(List<String> lines) {
    return lines.stream().anyMatch(line -> line.startsWith(TRACE) || OF_TRACE.test(line));
  }

  /**
   * Returns the rest of a panic whose beginning is missing in a long line of the other pipe: it
   * precedes the first trace, with an empty line between them.
   */
  static Stream<String> beheaded(List<String> lines) {
    for (int i = 2; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.startsWith(TRACE) && line.contains(RUNNING) && lines.get(i - 1).isBlank()) {
        return Stream.of(lines.get(i - 2)).filter(text -> !text.isBlank() && !OF_TRACE.test(text));
      }
    }
    return Stream.empty();
  }
}
