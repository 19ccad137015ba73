package io.sei.operator.fleet.genesis;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import java.io.FilterReader;
import java.io.IOException;
import java.io.Reader;

/**
 * The limits of a document that is read as a tree. Some KiB of a compressed file can be gigabytes
 * of a tree, so that text and tokens are counted while they are read. Both limits follow the heap:
 * a token of a tree was seen to take up to 85 bytes, a character one or two.
 */
final class BoundedJson {

  /** Most characters: 6 MiB where the container may use 256 MiB. */
  static final long MAX_TEXT = Runtime.getRuntime().maxMemory() / 16;

  /** Most tokens: 200,000 where the container may use 256 MiB. */
  static final long MAX_TOKENS = Runtime.getRuntime().maxMemory() / 512;

  /** A document is too large for the heap. */
  static final class TooLarge extends IOException {
    private static final long serialVersionUID = 1;

    TooLarge() {
      super(
          "it has more than %d characters or %d values, which this operator cannot read with the memory that it has; raise resources.limits.memory of the chart"
              .formatted(MAX_TEXT, MAX_TOKENS));
    }
  }

  private BoundedJson() {}

  /** Fails once more than the limit is read. */
  static Reader text(Reader text) {
    return new BoundedText(text);
  }

  /** Fails once more than the limit is read. */
  static JsonParser tokens(JsonParser parser) {
    return new BoundedTokens(parser);
  }

  private static final class BoundedText extends FilterReader {
    private long left = MAX_TEXT;

    BoundedText(Reader text) {
      super(text);
    }

    @Override
    public int read() throws IOException {
      return counted(super.read(), 1);
    }

    @Override
    public int read(char[] buffer, int offset, int length) throws IOException {
      int read = super.read(buffer, offset, length);
      return counted(read, read);
    }

    private int counted(int result, int characters) throws IOException {
      left -= result < 0 ? 0 : characters;
      if (left < 0) {
        throw new TooLarge();
      }
      return result;
    }
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
