package io.sei.operator.testkit;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

/** JSON that needs no escapes in Java. */
public final class SingleQuoted {

  private static final JsonMapper JSON = new JsonMapper();

  private SingleQuoted() {}

  /** Reads JSON whose strings are in single quotes. */
  public static JsonNode json(String text) {
    try {
      return JSON.readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(text, e);
    }
  }
}
