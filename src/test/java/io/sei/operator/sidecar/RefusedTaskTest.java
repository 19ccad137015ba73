package io.sei.operator.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sei.operator.config.SidecarConfig;
import io.sei.operator.config.UrlTemplate;
import io.sei.operator.sidecar.SidecarException.Kind;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Reads the meaning of a 400, which only its message tells. */
class RefusedTaskTest {

  private static final SidecarAddress NODE =
      new SidecarAddress("sei", "rpc-0", Optional.empty(), Optional.empty());
  private static final String ID = "0b1f0f2a-8a35-5d2e-9a53-4f6a2c7f5a11";

  private ScriptedSidecar server;
  private HttpSidecarClient client;

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "unknown task type: snapshot-upload-once | false",
        "task ID must be a valid UUID: \"none\" | true"
      })
  void tellsByATypeThatIsRefusedWhetherCancellingEndsTheWork(String words, boolean cancels) {
    serve("{\"error\":\"%s\"}".formatted(words.replace("\"", "\\\"")));

    assertThat(client.cancelsTasks(NODE)).isEqualTo(cancels);
    assertThat(server.requests)
        .extracting(ScriptedSidecar.Request::body)
        .containsExactly("{\"id\":\"none\",\"type\":\"snapshot-upload-once\"}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "persist task: database is locked (5) (SQLITE_BUSY) | BUSY",
        "unknown task type: mark-ready | UNSUPPORTED",
        "config-apply: mode is required | REJECTED"
      })
  void tells400sApart(String words, Kind kind) {
    serve("{\"error\":\"%s\"}".formatted(words));

    assertThat(
            catchThrowableOfType(
                    SidecarException.class, () -> client.submit(NODE, ID, "mark-ready", null))
                .kind())
        .isEqualTo(kind);
  }

  private void serve(String body) {
    server = ScriptedSidecar.answering(400, body);
    client =
        new HttpSidecarClient(
            new SidecarConfig(
                "image",
                new UrlTemplate(server.urlTemplate()),
                Duration.ofSeconds(5),
                Optional.empty()),
            new OpenAccess(Optional.empty()),
            new SimpleMeterRegistry());
  }
}
