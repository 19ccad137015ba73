package io.sei.operator.node.volume;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.sei.operator.config.ConfigException;
import io.sei.operator.config.PrometheusConfig;
import io.sei.operator.testkit.LocalHttps;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class HttpUsageClientTest {

  private static final String EMPTY =
      "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[]}}";

  @TempDir Path directory;
  private final List<String> shown = new ArrayList<>();
  private final List<String> asked = new ArrayList<>();
  private int status = 200;
  private String body = EMPTY;

  @Test
  void asksBelowThePathOfItsUrl() throws IOException {
    HttpServer server = plain();
    try (var client = client("http://127.0.0.1:" + server.getAddress().getPort() + "/prefix")) {
      assertThat(client.read().join()).isEmpty();
    } finally {
      server.stop(0);
    }

    assertThat(asked).singleElement().asString().startsWith("/prefix/api/v1/query?query=label_");
    assertThat(shown).containsExactly("null");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "200 | <html> | it did not return JSON",
        "302 | '' | it returned HTTP status 302",
        "401 | '' | it returned HTTP status 401",
        "500 | '' | it returned HTTP status 500",
        "422 | {\"status\":\"error\",\"error\":\"too many samples\"} | it returned an error: too"
            + " many samples",
      })
  void saysWhatIsWrong(int answered, String words, String expected) throws IOException {
    status = answered;
    body = words;
    HttpServer server = plain();
    try (var client = client("http://127.0.0.1:" + server.getAddress().getPort())) {
      assertThatThrownBy(() -> client.read().join()).hasStackTraceContaining(expected);
    } finally {
      server.stop(0);
    }
  }

  @Test
  void whatDoesNotAnswerIsGivenUp() throws IOException {
    HttpServer server = plain();
    server.removeContext("/");
    server.createContext("/", exchange -> {});
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    var config = config(Optional.empty(), Optional.empty());
    try (var client =
        new HttpUsageClient(URI.create(url), config, Set.of(), "data-", Duration.ofMillis(200))) {
      assertThatThrownBy(() -> client.read().join())
          .hasStackTraceContaining("it does not answer in time");
    } finally {
      server.stop(0);
    }
    try (var client = client(url)) {
      assertThatThrownBy(() -> client.read().join())
          .hasStackTraceContaining("there is no connection to it");
    }
  }

  @Test
  void tokenIsShownToWhomTheCertificatesTrust() throws IOException {
    Path token = directory.resolve("token");
    Path ca = directory.resolve("ca.pem");
    try (var server = new LocalHttps(this::answer)) {
      URI url = URI.create("https://127.0.0.1:" + server.port());
      Files.writeString(ca, pem(server.certificate()));
      try (var client = secure(url, token, Optional.of(ca))) {
        client.read().join();
        Files.writeString(token, "secret\n");
        client.read().join();
      }
      try (var client = secure(url, token, Optional.empty())) {
        assertThatThrownBy(() -> client.read().join()).hasStackTraceContaining("SSLHandshake");
      }
    }

    assertThat(shown).containsExactly("null", "Bearer secret");
  }

  @Test
  void fileWithoutCertificatesStopsTheStart() throws IOException {
    Path file = Files.writeString(directory.resolve("ca.pem"), "nothing");

    assertThatThrownBy(
            () -> secure(URI.create("https://127.0.0.1"), file, Optional.of(file)).close())
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("SEI_PROMETHEUS_CA_FILE")
        .hasMessageContaining("a readable file with certificates in PEM");
  }

  @Test
  void isNotThereWithoutAUrl() {
    assertThat(HttpUsageClient.of(config(Optional.empty(), Optional.empty()), Set.of(), "data-"))
        .isEmpty();
  }

  private HttpServer plain() throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext("/", this::answer);
    server.start();
    return server;
  }

  private void answer(HttpExchange exchange) throws IOException {
    asked.add(exchange.getRequestURI().toString());
    shown.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
    exchange.getResponseHeaders().add("Location", "/elsewhere");
    byte[] bytes = body.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private static HttpUsageClient client(String url) {
    return HttpUsageClient.of(
            new PrometheusConfig(
                Optional.of(URI.create(url)),
                Optional.empty(),
                Optional.empty(),
                Duration.ofMinutes(2)),
            Set.of(),
            "data-")
        .orElseThrow();
  }

  private static HttpUsageClient secure(URI url, Path token, Optional<Path> ca) {
    return new HttpUsageClient(
        url, config(Optional.of(token), ca), Set.of(), "data-", Duration.ofSeconds(20));
  }

  private static PrometheusConfig config(Optional<Path> token, Optional<Path> ca) {
    return new PrometheusConfig(Optional.empty(), token, ca, Duration.ofMinutes(2));
  }

  private static String pem(byte[] certificate) {
    return "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"
        .formatted(Base64.getMimeEncoder().encodeToString(certificate));
  }
}
