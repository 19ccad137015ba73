package io.sei.operator.kube;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/** Either end of a stream of unknown length. */
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
      checkTime(until, timeout, clock);
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

  /**
   * Reads the first bytes, and no more, and returns them as text; half a character at the end
   * becomes a replacement character.
   *
   * @throws IOException if there are fewer and the end is not reached in time
   */
  static String head(InputStream stream, int maxBytes, Duration timeout, Clock clock)
      throws IOException {
    Instant until = clock.instant().plus(timeout);
    var head = new ByteArrayOutputStream();
    byte[] chunk = new byte[CHUNK];
    while (head.size() < maxBytes) {
      int read = stream.read(chunk, 0, Math.min(CHUNK, maxBytes - head.size()));
      if (read < 0) {
        break;
      }
      head.write(chunk, 0, read);
      checkTime(until, timeout, clock);
    }
    return head.toString(StandardCharsets.UTF_8);
  }

  private static void checkTime(Instant until, Duration timeout, Clock clock) throws IOException {
    if (clock.instant().isAfter(until)) {
      throw new IOException("the log did not end in " + timeout.toSeconds() + " s");
    }
  }
}
