package io.sei.operator.fleet.genesis;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.base.Sha256;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class GenesisBlockTest {

  private static final String BLOCK = block("{\"chain_id\":\"lab-1\"}");

  @Test
  void isFoundAmongWhatToolsSay() throws IOException {
    assertThat(chainIn("{\"gentx\":1}\n" + BLOCK + "done\n")).isEqualTo("lab-1");
  }

  @Test
  void lastOneCounts() throws IOException {
    assertThat(chainIn(block("{}") + BLOCK)).isEqualTo("lab-1");
  }

  @Test
  void lastOneCountsAlsoIfItIsNotWhole() {
    assertThat(GenesisBlock.in(BLOCK + BLOCK.substring(0, BLOCK.length() - 30))).isEmpty();
  }

  private static String chainIn(String log) throws IOException {
    byte[] compressed = GenesisBlock.in(log).orElseThrow();
    return GenesisDocument.of(compressed).orElseThrow().root().path("chain_id").asText();
  }

  static Stream<Arguments> broken() {
    return Stream.of(
        broken("empty", log -> ""),
        broken("cut off", log -> log.substring(0, log.length() - 30)),
        broken("begun in the middle", log -> log.substring(10)),
        broken("another length", log -> log.replaceFirst("GENESIS (\\d)", "GENESIS 9$1")),
        broken("another digest", log -> log.replaceFirst("[0-9a-f]{64}", "0".repeat(64))),
        broken("another line in it", log -> log.replaceFirst("-----\n", "-----\nretry!\n")),
        broken("not at the beginning of a line", "x"::concat));
  }

  private static Arguments broken(String name, UnaryOperator<String> damage) {
    return Arguments.of(name, damage.apply(BLOCK));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("broken")
  void anythingLessIsNone(String name, String log) {
    assertThat(GenesisBlock.in(log)).isEmpty();
  }

  private static String block(String json) {
    var bytes = new ByteArrayOutputStream();
    try (OutputStream file = new GZIPOutputStream(bytes)) {
      file.write(json.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return around(bytes.toByteArray());
  }

  private static String around(byte[] content) {
    return "-----BEGIN GENESIS %d %s-----\n%s\n-----END GENESIS-----\n"
        .formatted(
            content.length,
            Sha256.of(content, 32),
            Base64.getMimeEncoder(76, "\n".getBytes(StandardCharsets.UTF_8))
                .encodeToString(content));
  }
}
