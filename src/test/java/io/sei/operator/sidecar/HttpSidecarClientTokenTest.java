package io.sei.operator.sidecar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sei.operator.config.SidecarConfig;
import io.sei.operator.config.UrlTemplate;
import io.sei.operator.sidecar.ScriptedSidecar.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which requests carry the token that the access grants, and which are not sent. */
@Timeout(30)
class HttpSidecarClientTokenTest {
  private static final SidecarAddress NODE =
      new SidecarAddress("sei", "rpc-0", Optional.empty(), Optional.empty());
  private static final String ID = "0b1f0f2a-8a35-5d2e-9a53-4f6a2c7f5a11";

  private final List<String> rejected = new ArrayList<>();
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private ScriptedSidecar server;
  private HttpSidecarClient client;

  @AfterEach
  void tearDown() {
    client.close();
    server.close();
  }

  @Test
  void requestsCarryTheTokenAndProbesCarryNone() {
    serve(200, "{\"status\":\"completed\"}", granting(Optional.of("one")));

    client.lookup(NODE, ID);
    assertThat(client.health(NODE)).isEqualTo(SidecarHealth.READY);

    assertThat(server.requests)
        .extracting(request -> Optional.ofNullable(request.authorization()))
        .containsExactly(Optional.of("Bearer one"), Optional.empty());
    assertThat(rejected).isEmpty();
  }

  @Test
  void tokenThatIsAnsweredWith401IsReportedAndTheRequestIsNotRepeated() {
    serve(401, "Unauthorized", granting(Optional.of("old")));

    assertThatThrownBy(() -> client.lookup(NODE, ID))
        .isInstanceOfSatisfying(
            SidecarException.class,
            e -> assertThat(e.kind()).isEqualTo(SidecarException.Kind.FORBIDDEN))
        .hasMessageEndingWith(": 401 Unauthorized");

    assertThat(rejected).containsExactly("old");
    assertThat(server.requests).extracting(Request::authorization).containsExactly("Bearer old");
    assertThat(meters.get("sei.sidecar.requests").tag("outcome", "forbidden").counter().count())
        .isOne();
  }

  @Test
  void tokenThatIsAnsweredWith403IsValid() {
    serve(403, "Forbidden", granting(Optional.of("one")));

    assertThatThrownBy(() -> client.lookup(NODE, ID)).hasMessageEndingWith(": 403 Forbidden");

    assertThat(rejected).isEmpty();
  }

  @Test
  void withoutAnAccountNoTokenIsSentAndA401SaysSo() {
    serve(401, "Unauthorized", granting(Optional.empty()));

    assertThatThrownBy(() -> client.lookup(NODE, ID))
        .hasMessageEndingWith(
            ": 401 Unauthorized; no token was sent, since SEI_SIDECAR_SERVICE_ACCOUNT is not set");

    assertThat(server.requests).extracting(Request::authorization).containsOnlyNulls();
  }

  @ParameterizedTest
  @CsvSource({"WITHHELD,  UNREACHABLE", "BLIND,     UNKNOWN", "FORBIDDEN, UNREACHABLE"})
  void whatMayNotBeSentIsNotSent(SidecarException.Kind kind, SidecarHealth health) {
    serve(200, "{}", new ClosedAccess(kind));

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
    public Optional<String> token(SidecarAddress sidecar) {
      throw new SidecarException(kind, "closed");
    }

    @Override
    public void rejected(String token) {
      throw new IllegalStateException("no token was sent");
    }

    @Override
    public void check(SidecarAddress sidecar) {
      throw new SidecarException(kind, "closed");
    }
  }

  private SidecarAccess granting(Optional<String> token) {
    return new SidecarAccess() {
      @Override
      public Optional<String> token(SidecarAddress sidecar) {
        return token;
      }

      @Override
      public void rejected(String value) {
        rejected.add(value);
      }

      @Override
      public void check(SidecarAddress sidecar) {
        // Nothing is wrong.
      }
    };
  }

  private void serve(int status, String body, SidecarAccess access) {
    server = ScriptedSidecar.answering(status, body);
    client =
        new HttpSidecarClient(
            new SidecarConfig(
                "image",
                new UrlTemplate(server.urlTemplate()),
                Duration.ofSeconds(5),
                Optional.empty()),
            access,
            meters);
  }
}
