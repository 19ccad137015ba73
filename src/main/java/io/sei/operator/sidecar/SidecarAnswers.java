package io.sei.operator.sidecar;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sei.operator.base.Json;
import io.sei.operator.base.UntrustedText;
import java.io.IOException;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads what a sidecar answers token by token. A tree of a document that is made for it takes
 * twenty times the memory of its text; of this one only the few values that are asked for are kept.
 */
final class SidecarAnswers {

  /** Values that are kept of a result: a transaction has the most, seven. */
  private static final int MAX_RESULTS = 16;

  private static final Set<String> NAMES = Set.of("type", "status", "run", "error", "nodeId");

  private static final JsonFactory JSON = Json.parsers();

  /**
   * An object of a sidecar.
   *
   * @param values of the fields that are known, where they are no objects or lists
   * @param result what a task has come to
   */
  record Fields(Map<String, String> values, Map<String, String> result) {

    static final Fields NONE = new Fields(Map.of(), Map.of());

    /** The value of a field; empty text if there is none. */
    String text(String name) {
      return values.getOrDefault(name, "");
    }

    SidecarTask.Status status() {
      return switch (text("status")) {
        case "completed" -> SidecarTask.Status.COMPLETED;
        case "failed" -> SidecarTask.Status.FAILED;
        default -> SidecarTask.Status.RUNNING;
      };
    }

    int run() {
      return text("run").matches("\\d{1,9}") ? Integer.parseInt(text("run")) : 0;
    }
  }

  private SidecarAnswers() {}

  /** Parses an answer; empty if it is no JSON object. */
  static Optional<Fields> object(byte[] body) {
    try (JsonParser parser = JSON.createParser(body)) {
      return parser.nextToken() == JsonToken.START_OBJECT
          ? Optional.of(fields(parser))
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Returns the states of a list's tasks of a type; empty if the answer is no complete list. */
  static Optional<Set<SidecarTask.Status>> statuses(byte[] list, String type) {
    Set<SidecarTask.Status> statuses = EnumSet.noneOf(SidecarTask.Status.class);
    try (JsonParser parser = JSON.createParser(list)) {
      if (parser.nextToken() != JsonToken.START_ARRAY) {
        return Optional.empty();
      }
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        if (parser.currentToken() != JsonToken.START_OBJECT) {
          parser.skipChildren();
          continue;
        }
        Fields task = fields(parser);
        if (type.equals(task.text("type"))) {
          statuses.add(task.status());
        }
      }
      return Optional.of(statuses);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Fields fields(JsonParser parser) throws IOException {
    var values = new HashMap<String, String>();
    var result = new HashMap<String, String>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      JsonToken value = parser.nextToken();
      if (name.equals("result") && value == JsonToken.START_OBJECT) {
        readResult(parser, result);
      } else if (NAMES.contains(name) && isText(value)) {
        values.put(name, parser.getText());
      } else {
        parser.skipChildren();
      }
    }
    return new Fields(values, result);
  }

  private static void readResult(JsonParser parser, Map<String, String> result) throws IOException {
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      JsonToken value = parser.nextToken();
      if (value.isScalarValue() && result.size() < MAX_RESULTS) {
        String text = isText(value) ? parser.getText() : "";
        result.put(UntrustedText.clean(name), UntrustedText.clean(text));
      } else {
        parser.skipChildren();
      }
    }
  }

  /** Returns whether a token has a text; null has none. */
  private static boolean isText(JsonToken token) {
    return token.isScalarValue() && token != JsonToken.VALUE_NULL;
  }
}
