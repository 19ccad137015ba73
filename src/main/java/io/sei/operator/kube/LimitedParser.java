package io.sei.operator.kube;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import com.fasterxml.jackson.databind.JsonMappingException;
import java.io.IOException;

/**
 * Parses one value, and throws {@link TooLarge} once that turns out larger than its limits. Begins
 * at the first token of the value.
 */
final class LimitedParser extends JsonParserDelegate {

  /**
   * Limits of a value.
   *
   * @param size characters of its compact JSON, nearly
   * @param depth levels of arrays and objects
   * @param name characters of a name
   */
  record Limits(int size, int depth, int name) {

    /** Limits its size alone. */
    static Limits ofSize(int size) {
      return new Limits(size, Integer.MAX_VALUE, Integer.MAX_VALUE);
    }
  }

  /** A value is larger than its limits. */
  static final class TooLarge extends JsonMappingException {
    private static final long serialVersionUID = 1;

    private TooLarge(JsonParser parser, String problem) {
      super(parser, problem);
    }
  }

  private final Limits limits;
  private long size;
  private int depth;

  LimitedParser(JsonParser parser, Limits limits) throws IOException {
    super(parser);
    this.limits = limits;
    count(parser.currentToken());
  }

  /**
   * Skips the rest of the value that a parser is in, wherever in it reading ended.
   *
   * @param parent the context of what the value belongs to
   */
  static void skipRest(JsonParser parser, JsonStreamContext parent) throws IOException {
    while (parser.getParsingContext() != parent) {
      if (parser.nextToken() == null) {
        throw new JsonEOFException(parser, null, "the document ends within a value");
      }
    }
  }

  /** The context of the object or list to which the value belongs whose first token was read. */
  static JsonStreamContext parentOf(JsonParser parser) {
    JsonStreamContext context = parser.getParsingContext();
    return parser.currentToken().isStructStart() ? context.getParent() : context;
  }

  @Override
  public JsonToken nextToken() throws IOException {
    JsonToken token = super.nextToken();
    count(token);
    return token;
  }

  /** The part of a value that is skipped counts towards its size. */
  @Override
  public JsonParser skipChildren() throws IOException {
    int open = currentToken() != null && currentToken().isStructStart() ? 1 : 0;
    while (open > 0) {
      JsonToken token = nextToken();
      if (token == null) {
        return this;
      }
      if (token.isStructStart()) {
        open++;
      } else if (token.isStructEnd()) {
        open--;
      }
    }
    return this;
  }

  private void count(JsonToken token) throws IOException {
    if (token == null) {
      return;
    }
    size++;
    if (token.isStructStart()) {
      depth++;
    } else if (token.isStructEnd()) {
      depth--;
    } else {
      size += delegate.getTextLength();
    }
    if (size > limits.size) {
      throw new TooLarge(this, "is larger than " + size(limits.size));
    }
    if (depth > limits.depth) {
      throw new TooLarge(this, "has more than %d levels".formatted(limits.depth));
    }
    if (token == JsonToken.FIELD_NAME && delegate.getTextLength() > limits.name) {
      throw new TooLarge(this, "has a key of more than %d characters".formatted(limits.name));
    }
  }

  private static String size(int characters) {
    return characters >> 10 << 10 == characters
        ? "%d KiB".formatted(characters >> 10)
        : "%d bytes".formatted(characters);
  }
}
