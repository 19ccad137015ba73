package io.sei.operator.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;

/** Processor time of everything that runs on the machine. */
final class ProcessorTime {

  private static final Path STAT = Path.of("/proc/stat");

  /**
   * Columns in units of 1/100 s: user, nice, system, interrupts, soft interrupts; not idle, not
   * iowait.
   */
  private static final int[] BUSY = {1, 2, 3, 6, 7};

  private static final double TICKS_PER_SECOND = 100;

  private ProcessorTime() {}

  /** Seconds since the machine was started, of all its processors. */
  static double seconds() {
    try (var lines = Files.lines(STAT)) {
      String[] fields = lines.findFirst().orElseThrow().split(" +");
      return IntStream.of(BUSY).mapToLong(i -> Long.parseLong(fields[i])).sum() / TICKS_PER_SECOND;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
