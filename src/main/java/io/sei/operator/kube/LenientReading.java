package io.sei.operator.kube;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import com.fasterxml.jackson.databind.deser.DeserializationProblemHandler;
import com.fasterxml.jackson.databind.deser.std.NumberDeserializers;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.math.BigInteger;
import java.time.Instant;
import java.util.regex.Pattern;

/**
 * Reads what an API server accepts and Java does not: times with more digits than nanoseconds have
 * or with an offset of days, and numbers that are larger than an int where the schema says no more
 * than that they are numbers. A quantity such as 1e900000000 is not read, since it has as many
 * digits once it is compared or written.
 */
final class LenientReading {

  private LenientReading() {}

  /** Makes a mapper read so. */
  static void register(ObjectMapper mapper) {
    mapper.addMixIn(IntOrString.class, ReadAsIntOrString.class);
    mapper.addMixIn(Quantity.class, ReadAsQuantity.class);
    mapper.addHandler(new Unreadable());
    mapper.registerModule(
        new SimpleModule("lenient-reading")
            .addDeserializer(Integer.class, new Clamped(Integer.class))
            .addDeserializer(int.class, new Clamped(int.class)));
  }

  /** The nearest number there is. */
  private static int clamped(BigInteger number) {
    return number.bitLength() < Integer.SIZE
        ? number.intValue()
        : number.signum() < 0 ? Integer.MIN_VALUE : Integer.MAX_VALUE;
  }

  /** A time that cannot be parsed is long past, since a missing one may be a request. */
  private static final class Unreadable extends DeserializationProblemHandler {
    @Override
    public Object handleWeirdStringValue(
        DeserializationContext context, Class<?> target, String value, String failure) {
      if (target == Instant.class) {
        return Instant.EPOCH;
      }
      boolean number = target == Integer.class || target == int.class;
      return number && value.matches("-?[0-9]{1,100}")
          ? (Object) clamped(new BigInteger(value))
          : NOT_HANDLED;
    }
  }

  private static final class Clamped extends JsonDeserializer<Integer> {
    private final JsonDeserializer<?> plain;

    Clamped(Class<Integer> type) {
      plain = NumberDeserializers.find(type, type.getName());
    }

    @Override
    public Integer deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      return parser.hasToken(JsonToken.VALUE_NUMBER_INT)
          ? (Integer) clamped(parser.getBigIntegerValue())
          : (Integer) plain.deserialize(parser, context);
    }
  }

  @JsonDeserialize(using = AsIntOrString.class)
  private interface ReadAsIntOrString {}

  private static final class AsIntOrString extends StdScalarDeserializer<IntOrString> {
    private static final long serialVersionUID = 1;

    AsIntOrString() {
      super(IntOrString.class);
    }

    @Override
    public IntOrString deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      if (parser.hasToken(JsonToken.VALUE_NUMBER_INT)) {
        return new IntOrString(clamped(parser.getBigIntegerValue()));
      }
      return parser.hasToken(JsonToken.VALUE_STRING)
          ? new IntOrString(parser.getText())
          : (IntOrString) context.handleUnexpectedToken(IntOrString.class, parser);
    }
  }

  @JsonDeserialize(using = AsQuantity.class)
  private interface ReadAsQuantity {}

  private static final class AsQuantity extends StdScalarDeserializer<Quantity> {
    private static final long serialVersionUID = 1;
    private static final Pattern IMPOSSIBLE = Pattern.compile(".*[eE][-+]?0*[1-9][0-9]{2,}");

    private static final JsonDeserializer<Quantity> PLAIN = new Quantity.Deserializer();

    AsQuantity() {
      super(Quantity.class);
    }

    @Override
    public Quantity deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      String text = parser.getText();
      if (IMPOSSIBLE.matcher(text).matches()) {
        throw context.weirdStringException(
            text, Quantity.class, "an exponent has at most two digits");
      }
      Quantity quantity = PLAIN.deserialize(parser, context);
      try {
        // Comparing one computes its amount, and would fail then.
        quantity.getNumericalAmount();
      } catch (IllegalArgumentException e) {
        throw context.weirdStringException(text, Quantity.class, "no number with a unit");
      }
      return quantity;
    }
  }
}
