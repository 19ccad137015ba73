package io.sei.operator.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Measures how much of a Java process' heap is in use after a full collection. */
final class LiveHeap {

  /** The last line of a histogram of classes: objects and bytes. */
  private static final Pattern TOTAL = Pattern.compile("Total +\\d+ +(\\d+)");

  /**
   * Memory of dead objects that the serial collector left in place because moving what follows them
   * was not worth it. With 100 nodes it was seen to be between nothing and 3.3 MiB.
   */
  private static final Pattern FILLER =
      Pattern.compile("\\d+ +(\\d+) +(?:\\[L)?jdk\\.internal\\.vm\\.Filler");

  private static final double MEBIBYTE = 1 << 20;

  private LiveHeap() {}

  /** Returns the MiB in use of a process' heap after a full collection. */
  static double mebibytes(long pid) {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    try {
      Process process =
          new ProcessBuilder(jcmd.toString(), Long.toString(pid), "GC.class_histogram")
              .redirectErrorStream(true)
              .start();
      String histogram = new String(process.getInputStream().readAllBytes());
      Matcher total = TOTAL.matcher(histogram);
      if (!total.find()) {
        throw new IllegalStateException("no total in " + histogram);
      }
      long filler =
          FILLER.matcher(histogram).results().mapToLong(row -> Long.parseLong(row.group(1))).sum();
      return (Long.parseLong(total.group(1)) - filler) / MEBIBYTE;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
