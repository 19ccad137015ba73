package io.sei.operator.diagnosis;

import java.util.Optional;
import java.util.stream.Stream;

/** PURE: what a log says of the end of the run that wrote it. */
public final class LastWords {

  private static final String PANIC = "panic: ";

  /** What baseapp of the Cosmos SDK logs at {@code halt-height} before it exits with code 0. */
  private static final String CONFIGURED_HALT = "halting node per configuration";

  private static final int MAX = 600;

  private LastWords() {}

  /**
   * The last panic in the log, else the halt that its configuration asks for, in one printable
   * line. A program that recovers from a panic and panics again repeats it; a line that only quotes
   * a panic does not begin with it.
   */
  public static Optional<String> in(String log) {
    return last(log.lines().filter(line -> line.startsWith(PANIC)))
        .or(
            () ->
                last(log.lines().filter(line -> line.contains(CONFIGURED_HALT)))
                    .map(line -> line.substring(line.indexOf(CONFIGURED_HALT))))
        .map(line -> OneLine.of(line, MAX));
  }

  private static Optional<String> last(Stream<String> lines) {
    return lines.reduce((earlier, later) -> later);
  }
}
