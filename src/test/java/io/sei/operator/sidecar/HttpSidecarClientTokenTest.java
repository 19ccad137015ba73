package io.sei.operator.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sei.operator.config.SidecarConfig;
import io.sei.operator.config.UrlTemplate;
import io.sei.operator.sidecar.ScriptedSidecar.Request;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Which token a sidecar is shown, and when a new one. */
@Timeout(30)
class HttpSidecarClientTokenTest {
  private static final SidecarAddress NODE =
      new SidecarAddress("sei", "rpc-0", Optional.empty(), Optional.empty());
  private static final String ID = "0b1f0f2a-8a35-5d2e-9a53-4f6a2c7f5a11";

  @TempDir Path dir;
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private Path tokenFile;
  private Path apiTokenFile;
  private ScriptedSidecar server;
  private HttpSidecarClient client;

  @BeforeEach
  void setUp() {
    tokenFile = dir.resolve("token");
    apiTokenFile = dir.resolve("api-token");
  }

  @AfterEach
  void tearDown() {
    client.close();
    server.close();
  }

  @Test
  void showsTheTokenAndFollowsItsFile() throws IOException {
    serve(200, "{\"status\":\"completed\"}");

    client.lookup(NODE, ID);
    writeToken("one\n", 1);
    client.lookup(NODE, ID);
    writeToken("two", 2);
    client.lookup(NODE, ID);
    Files.delete(tokenFile);
    client.lookup(NODE, ID);
    writeToken("not a token", 3);
    client.lookup(NODE, ID);

    assertThat(server.requests)
        .extracting(r -> Optional.ofNullable(r.authorization()))
        .containsExactly(
            Optional.empty(),
            Optional.of("Bearer one"),
            Optional.of("Bearer two"),
            Optional.empty(),
            Optional.empty());
  }

  @Test
  void renewsTheTokenOnceAfter401() throws IOException {
    server =
        new ScriptedSidecar(
            exchange -> {
              var good =
                  "Bearer new".equals(exchange.getRequestHeaders().getFirst("Authorization"));
              if (!good) {
                // Replaced within the resolution of the file's time: only a 401 tells.
                writeToken("new", 1);
              }
              ScriptedSidecar.answer(exchange, good ? 200 : 401, "{}");
            });
    connect();
    writeToken("old", 1);

    assertThat(client.lookup(NODE, ID)).isPresent();
    assertThat(server.requests)
        .extracting(Request::authorization)
        .containsExactly("Bearer old", "Bearer new");
    assertThat(counted("forbidden")).isOne();
    assertThat(counted("ok")).isOne();
  }

  @Test
  void asksTwiceAtMost() throws IOException {
    var tokens = new AtomicInteger();
    server =
        new ScriptedSidecar(
            exchange -> {
              writeToken("t" + tokens.incrementAndGet(), 1);
              ScriptedSidecar.answer(exchange, 401, "");
            });
    connect();
    writeToken("t0", 1);

    assertThatThrownBy(() -> client.lookup(NODE, ID))
        .isInstanceOfSatisfying(
            SidecarException.class,
            e -> assertThat(e.kind()).isEqualTo(SidecarException.Kind.FORBIDDEN));
    assertThat(server.requests).hasSize(2);
  }

  @Test
  void doesNotRepeatAnUnchangedToken() throws IOException {
    serve(401, "");
    writeToken("same", 1);

    assertThatThrownBy(() -> client.lookup(NODE, ID)).hasMessageEndingWith(": 401");
    assertThat(server.requests).hasSize(1);
  }

  @Test
  void probesCarryNoToken() throws IOException {
    serve(200, "");
    writeToken("one", 1);

    assertThat(client.health(NODE)).isEqualTo(SidecarHealth.READY);
    assertThat(server.requests).extracting(Request::authorization).containsOnlyNulls();
  }

  @ParameterizedTest
  @EnumSource(Audience.class)
  void eachAudienceHasItsFileAndNeverTheOthers(Audience audience) throws IOException {
    server = ScriptedSidecar.answering(401, "Unauthorized");
    connect(new OpenAccess(audience));
    Path file = audience == Audience.SIDECAR ? tokenFile : apiTokenFile;
    Path other = audience == Audience.SIDECAR ? apiTokenFile : tokenFile;
    Files.writeString(other, "other");

    assertThatThrownBy(() -> client.lookup(NODE, ID))
        .hasMessageEndingWith(
            ": 401 Unauthorized; no token was sent: %s does not exist".formatted(file));
    Files.writeString(file, "two words");
    assertThatThrownBy(() -> client.lookup(NODE, ID))
        .hasMessageEndingWith(file + " contains no token");
    Files.writeString(file, "right");
    assertThatThrownBy(() -> client.lookup(NODE, ID)).hasMessageEndingWith(": 401 Unauthorized");

    assertThat(server.requests)
        .extracting(r -> Optional.ofNullable(r.authorization()))
        .containsOnly(Optional.empty(), Optional.of("Bearer right"));
  }

  @ParameterizedTest
  @CsvSource({"WITHHELD, UNREACHABLE", "BLIND, UNKNOWN"})
  void whatMayNotBeSentIsNotSent(SidecarException.Kind kind, SidecarHealth health) {
    server = ScriptedSidecar.answering(200, "{}");
    connect(new ClosedAccess(kind));

    assertThatThrownBy(() -> client.lookup(NODE, ID))
        .isInstanceOfSatisfying(SidecarException.class, e -> assertThat(e.kind()).isEqualTo(kind))
        .hasMessage("closed");
    assertThat(client.nodeIdAsync(NODE))
        .succeedsWithin(Duration.ofSeconds(5))
        .isEqualTo(Optional.empty());
    assertThat(client.health(NODE)).isEqualTo(health);
    assertThat(server.requests).isEmpty();
  }

  private record ClosedAccess(SidecarException.Kind kind) implements SidecarAccess {
    @Override
    public Audience audience(SidecarAddress sidecar) {
      throw new SidecarException(kind, "closed");
    }

    @Override
    public void check(SidecarAddress sidecar) {
      throw new SidecarException(kind, "closed");
    }
  }

  private void serve(int status, String body) {
    server = ScriptedSidecar.answering(status, body);
    connect();
  }

  private void connect() {
    connect(new OpenAccess(Audience.SIDECAR));
  }

  private void connect(SidecarAccess access) {
    client =
        new HttpSidecarClient(
            new SidecarConfig(
                "image",
                new UrlTemplate(server.urlTemplate()),
                Duration.ofSeconds(5),
                apiTokenFile,
                tokenFile),
            access,
            meters);
  }

  private void writeToken(String token, int second) throws IOException {
    Files.writeString(tokenFile, token);
    Files.setLastModifiedTime(
        tokenFile, FileTime.from(Instant.ofEpochSecond(1_700_000_000 + second)));
  }

  private double counted(String outcome) {
    return meters.get("sei.sidecar.requests").tag("outcome", outcome).counter().count();
  }
}
