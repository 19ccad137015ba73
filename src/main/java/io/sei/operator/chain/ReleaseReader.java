package io.sei.operator.chain;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.deser.std.StringDeserializer;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import io.sei.operator.base.Json;
import io.sei.operator.base.Text;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** PURE: reads a list of releases in YAML, and names line and field of what is wrong with it. */
public final class ReleaseReader {

  /** Resource with the releases that are known when the operator is built. */
  private static final String BUILT_IN = "releases.yaml";

  /** Ten times the list that the operator is built with. */
  static final int MAX_CHARACTERS = 256 << 10;

  /** Characters of a value: a paragraph. */
  private static final int MAX_VALUE = 1000;

  private static final int MAX_PROBLEM = 300;

  private static final ObjectReader YAML = reader();

  private ReleaseReader() {}

  private static ObjectReader reader() {
    YAMLMapper mapper = Json.yaml();
    mapper.registerModule(new SimpleModule().addDeserializer(String.class, new LineOfText()));
    mapper.setDefaultSetterInfo(JsonSetter.Value.forContentNulls(Nulls.FAIL));
    return mapper
        .reader()
        .forType(Releases.class)
        .with(StreamReadFeature.STRICT_DUPLICATE_DETECTION);
  }

  /** Reads text that may be shown in a status and on a terminal. */
  private static final class LineOfText extends StdScalarDeserializer<String> {
    private static final long serialVersionUID = 1L;

    LineOfText() {
      super(String.class);
    }

    @Override
    public String deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      if (parser instanceof YAMLParser yaml && yaml.isCurrentAlias()) {
        throw JsonMappingException.from(parser, "must be written out, not an alias");
      }
      String text = StringDeserializer.instance.deserialize(parser, context).strip();
      if (!text.equals(Text.line(text, MAX_VALUE))) {
        throw JsonMappingException.from(
            parser, "must be one printable line of at most " + MAX_VALUE + " characters");
      }
      return text;
    }
  }

  /** Reads the list that the operator is built with. */
  public static Releases builtIn() {
    try (InputStream file = Releases.class.getResourceAsStream(BUILT_IN)) {
      return read(new String(file.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads a list.
   *
   * @throws IllegalArgumentException if the text is not one; the message has line and field
   */
  public static Releases read(String text) {
    if (text.isBlank()) {
      throw new IllegalArgumentException("it is empty");
    }
    if (text.length() > MAX_CHARACTERS) {
      throw new IllegalArgumentException(
          "it has %d characters, and may have %d".formatted(text.length(), MAX_CHARACTERS));
    }
    Releases read;
    try (JsonParser parser = YAML.createParser(text)) {
      read = YAML.readValue(parser);
      if (parser.nextToken() != null) {
        int line = parser.currentTokenLocation().getLineNr();
        throw new IllegalArgumentException(describe(line, "", "begins a second document"));
      }
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(describe(text, e), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (read == null || (read.releases().isEmpty() && read.images().isEmpty())) {
      throw new IllegalArgumentException("it has neither releases nor images");
    }
    return read;
  }

  private static String describe(String text, JsonProcessingException failure) {
    if (failure instanceof JsonMappingException mapping) {
      String field = path(mapping.getPath());
      return failure.getCause() instanceof StreamReadException syntax
          ? describe(syntax.getLocation().getLineNr(), field, syntax.getOriginalMessage())
          : describe(line(text, mapping.getPath()), field, problem(mapping));
    }
    return describe(failure.getLocation().getLineNr(), "", failure.getOriginalMessage());
  }

  private static String describe(int line, String field, String problem) {
    return Text.line("line %d: %s%s".formatted(line, field, problem), MAX_PROBLEM);
  }

  /**
   * Finds the line of a field, or of the beginning of an item: a failure has where it was found.
   */
  private static int line(String text, List<JsonMappingException.Reference> references) {
    JsonPointer field = JsonPointer.empty();
    for (JsonMappingException.Reference reference : references) {
      field =
          reference.getFieldName() == null
              ? field.appendIndex(reference.getIndex())
              : field.appendProperty(reference.getFieldName());
    }
    try (JsonParser parser = YAML.createParser(text)) {
      while (parser.nextToken() != null) {
        if (parser.getParsingContext().pathAsPointer().equals(field)) {
          return parser.currentTokenLocation().getLineNr();
        }
      }
      return 1;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String path(List<JsonMappingException.Reference> references) {
    String path =
        references.stream()
            .map(
                reference ->
                    reference.getFieldName() == null
                        ? "[" + reference.getIndex() + "]"
                        : "." + reference.getFieldName())
            .collect(Collectors.joining());
    return path.isEmpty() ? "" : path.replaceFirst("^\\.", "") + " ";
  }

  private static String problem(JsonMappingException failure) {
    if (failure.getCause() instanceof IllegalArgumentException rule) {
      return rule.getMessage();
    }
    return switch (failure) {
      case UnrecognizedPropertyException unknown ->
          "is no field here; there are "
              + unknown.getKnownPropertyIds().stream()
                  .map(String::valueOf)
                  .sorted()
                  .collect(Collectors.joining(", "));
      case InvalidFormatException value when value.getTargetType().isEnum() ->
          value.getOriginalMessage().replaceFirst("(?s).*for Enum class: ", "must be one of ");
      case MismatchedInputException value when value.getTargetType() != null ->
          "must be " + kind(value.getTargetType());
      default -> failure.getOriginalMessage();
    };
  }

  private static String kind(Class<?> type) {
    if (List.class.isAssignableFrom(type)) {
      return "a list";
    }
    if (Map.class.isAssignableFrom(type) || type.isRecord() && type != SeidVersion.class) {
      return "a mapping";
    }
    return Number.class.isAssignableFrom(type) ? "a whole number" : "text";
  }
}
