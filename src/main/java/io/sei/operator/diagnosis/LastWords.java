package io.sei.operator.diagnosis;

import java.util.Optional;

/** PURE: what a log says of the end of the run that wrote it. */
public final class LastWords {

  private static final String PANIC = "panic: ";
  private static final int MAX = 600;

  private LastWords() {}

  /**
   * The last panic that the log tells of, in one printable line. A program that recovers from one
   * and panics again repeats it; a line of the log that only quotes a panic does not begin with it.
   */
  public static Optional<String> in(String log) {
    return log.lines()
        .filter(line -> line.startsWith(PANIC))
        .reduce((earlier, later) -> later)
        .map(line -> OneLine.of(line, MAX));
  }
}
