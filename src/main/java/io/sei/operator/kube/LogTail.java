package io.sei.operator.kube;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/** The end of a stream of which nobody knows how long it is. */
final class LogTail {

  private static final int CHUNK = 8192;

  private LogTail() {}

  /**
   * Reads to the end and returns the last bytes as text; half a character at the front becomes a
   * replacement character.
   *
   * @throws IOException if the end is not reached in time
   */
  static String of(InputStream stream, int maxBytes, Duration timeout, Clock clock)
      throws IOException {
    Instant until = clock.instant().plus(timeout);
    byte[] ring = new byte[maxBytes];
    byte[] chunk = new byte[CHUNK];
    long total = 0;
    for (int read = stream.read(chunk); read >= 0; read = stream.read(chunk)) {
      for (int i = 0; i < read; i++) {
        ring[(int) (total++ % maxBytes)] = chunk[i];
      }
      if (clock.instant().isAfter(until)) {
        throw new IOException("the log did not end in " + timeout.toSeconds() + " s");
      }
    }
    if (total <= maxBytes) {
      return new String(ring, 0, (int) total, StandardCharsets.UTF_8);
    }
    int start = (int) (total % maxBytes);
    byte[] ordered = new byte[maxBytes];
    System.arraycopy(ring, start, ordered, 0, maxBytes - start);
    System.arraycopy(ring, 0, ordered, maxBytes - start, start);
    return new String(ordered, StandardCharsets.UTF_8);
  }
}
