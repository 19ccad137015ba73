package io.sei.operator.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What of a Java process' heap is in use when nothing is left to collect. */
final class LiveHeap {

  /** The last line of a histogram of classes: objects and bytes. */
  private static final Pattern TOTAL = Pattern.compile("Total +\\d+ +(\\d+)");

  private static final double MEBIBYTE = 1 << 20;

  private LiveHeap() {}

  /** Collects the whole heap of a process, and says what is left, in MiB. */
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
      return Long.parseLong(total.group(1)) / MEBIBYTE;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
