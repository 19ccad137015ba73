package io.sei.operator.base;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {

  private static final int MEBIBYTE = 1 << 20;

  private final ObjectMapper mapper = Json.ofApiServer();

  @ParameterizedTest
  @ValueSource(ints = {1_100, 9_999})
  void theParserAcceptsTheNestingOfTheApiServer(int levels) throws IOException {
    assertThat(tokens("[".repeat(levels) + "]".repeat(levels))).isEqualTo(2L * levels);
  }

  @Test
  void theParserAcceptsNamesTextsAndNumbersAsLongAsARequest() throws IOException {
    String longest = "1".repeat(3 * MEBIBYTE);
    assertThat(tokens("{\"" + longest + "\":1}")).isEqualTo(4);
    assertThat(tokens("[\"" + longest + "\"]")).isEqualTo(3);
    assertThat(tokens("[" + longest + "]")).isEqualTo(3);
  }

  /** A parser that keeps the names of earlier documents gives the same object for both. */
  @Test
  void parsersOfDocumentsOfPodsKeepNoNames() throws IOException {
    JsonFactory parsers = Json.parsers();

    assertThat(firstName(parsers)).isEqualTo("name").isNotSameAs(firstName(parsers));
    JsonFactory ofMapper = Json.mapper().getFactory();
    assertThat(firstName(ofMapper)).isEqualTo("name").isNotSameAs(firstName(ofMapper));
  }

  private static String firstName(JsonFactory parsers) throws IOException {
    try (JsonParser parser =
        parsers.createParser("{\"name\":1}".getBytes(StandardCharsets.UTF_8))) {
      parser.nextToken();
      parser.nextToken();
      return parser.currentName();
    }
  }

  @Test
  void namesAreForgottenWithTheirDocument() throws IOException {
    WeakReference<String> name = nameRead();
    for (int tries = 0; name.get() != null && tries < 100; tries++) {
      System.gc();
    }
    assertThat(name.get()).isNull();
  }

  private WeakReference<String> nameRead() throws IOException {
    try (JsonParser parser = parser("{\"" + "n".repeat(MEBIBYTE) + "\":1}")) {
      parser.nextToken();
      return new WeakReference<>(parser.nextFieldName());
    }
  }

  private long tokens(String json) throws IOException {
    long count = 0;
    try (JsonParser parser = parser(json)) {
      for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
        if (token.isScalarValue()) {
          parser.getTextLength();
        }
        count++;
      }
    }
    return count;
  }

  private JsonParser parser(String json) throws IOException {
    return mapper.createParser(new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)));
  }
}
