package io.sei.operator.fleet.genesis;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import io.sei.operator.base.BoundedGzip;
import java.io.IOException;

/**
 * The limits of a document that is read as a tree: of its text, which {@link BoundedGzip} counts,
 * and of its tokens. Both follow the heap: a token of a tree was seen to take up to 85 bytes, a
 * byte of text up to two.
 */
final class BoundedJson {

  /** Most bytes of text: 6 MiB where the container may use 256 MiB. */
  static final long MAX_TEXT = Runtime.getRuntime().maxMemory() / 16;

  /** Most tokens: 200,000 where the container may use 256 MiB. */
  static final long MAX_TOKENS = Runtime.getRuntime().maxMemory() / 512;

  /** A document is too large for the heap. */
  static final class TooLarge extends IOException {
    private static final long serialVersionUID = 1;

    TooLarge() {
      super(
          "it has more than %d bytes or %d values, which this operator cannot read with the memory that it has; raise resources.limits.memory of the chart"
              .formatted(MAX_TEXT, MAX_TOKENS));
    }
  }

  private BoundedJson() {}

  /** Fails once more than the limit is read. */
  static JsonParser tokens(JsonParser parser) {
    return new BoundedTokens(parser);
  }

  private static final class BoundedTokens extends JsonParserDelegate {
    private long left = MAX_TOKENS;

    BoundedTokens(JsonParser parser) {
      super(parser);
    }

    @Override
    public JsonToken nextToken() throws IOException {
      if (--left < 0) {
        throw new TooLarge();
      }
      return super.nextToken();
    }
  }
}
