package io.sei.operator.kube;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.JsonSerializable;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.jsontype.TypeSerializer;
import io.sei.operator.base.Json;
import java.io.IOException;
import java.io.StringWriter;

/**
 * JSON that is kept as its text, which takes a tenth of the memory of a tree. It is written, and
 * converted, as what it says.
 */
record JsonText(String json) implements JsonSerializable {

  /** Parses with the limits of the API server, which the kept text obeyed when it was read. */
  private static final JsonFactory JSON = Json.ofApiServer().getFactory();

  /** Reads the value at which a parser is. */
  static JsonText of(JsonParser parser) throws IOException {
    var text = new StringWriter();
    try (JsonGenerator generator = JSON.createGenerator(text)) {
      generator.copyCurrentStructure(parser);
    }
    return new JsonText(text.toString());
  }

  @Override
  public void serialize(JsonGenerator generator, SerializerProvider provider) throws IOException {
    try (JsonParser parser = JSON.createParser(json)) {
      parser.nextToken();
      generator.copyCurrentStructure(parser);
    }
  }

  @Override
  public void serializeWithType(
      JsonGenerator generator, SerializerProvider provider, TypeSerializer type)
      throws IOException {
    serialize(generator, provider);
  }
}
