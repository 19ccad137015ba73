package io.sei.operator.observability;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * Renders a page of metrics once for all scrapes within a second: the page of a thousand nodes is
 * some megabytes, and one client may scrape over many connections.
 */
final class RecentText implements Supplier<byte[]> {

  private static final Duration RECENT = Duration.ofSeconds(1);

  private final Supplier<String> source;
  private final Clock steady;
  private byte[] text;
  private Instant renderedAt;

  /**
   * @param steady never set back
   */
  RecentText(Supplier<String> source, Clock steady) {
    this.source = source;
    this.steady = steady;
  }

  @Override
  public synchronized byte[] get() {
    if (text == null || steady.instant().isAfter(renderedAt.plus(RECENT))) {
      text = source.get().getBytes(UTF_8);
      renderedAt = steady.instant();
    }
    return text;
  }
}
