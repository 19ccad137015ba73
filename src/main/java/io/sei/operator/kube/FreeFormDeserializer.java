package io.sei.operator.kube;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.deser.std.DelegatingDeserializer;
import java.io.IOException;
import java.util.function.Supplier;

/**
 * Reads JSON of any shape within an object: a value that is too deep or too large is left out. A
 * tree takes twenty times the memory of its text, and reading, comparing or writing a deep one
 * overflows the stack.
 */
final class FreeFormDeserializer extends DelegatingDeserializer {

  private static final long serialVersionUID = 1;

  /** Limits of a value that a user writes. */
  private static final LimitedParser.Limits OF_USERS = new LimitedParser.Limits(4 << 10, 16, 256);

  /** Limits of a value that the operator or Kubernetes wrote, such as a task's parameters. */
  static final LimitedParser.Limits OF_PROGRAMS =
      new LimitedParser.Limits(512 << 10, 64, Integer.MAX_VALUE);

  private final transient Supplier<?> leftOut;

  /**
   * @param leftOut stands for a value that is left out
   */
  FreeFormDeserializer(JsonDeserializer<?> delegate, Supplier<?> leftOut) {
    super(delegate);
    this.leftOut = leftOut;
  }

  @Override
  protected JsonDeserializer<?> newDelegatingInstance(JsonDeserializer<?> delegate) {
    return new FreeFormDeserializer(delegate, leftOut);
  }

  @Override
  public Object deserialize(JsonParser parser, DeserializationContext context) throws IOException {
    ObjectReading object = ObjectReading.in(context);
    if (object == null) {
      return super.deserialize(parser, context);
    }
    JsonStreamContext parent = LimitedParser.parentOf(parser);
    LimitedParser.Limits limits = object.isReadingSpec() ? OF_USERS : OF_PROGRAMS;
    try {
      return super.deserialize(new LimitedParser(parser, limits), context);
    } catch (LimitedParser.TooLarge e) {
      LimitedParser.skipRest(parser, parent);
      object.leaveOut(parser.getParsingContext(), e.getOriginalMessage());
      return leftOut.get();
    }
  }
}
