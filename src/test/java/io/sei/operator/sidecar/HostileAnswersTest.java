package io.sei.operator.sidecar;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sei.operator.config.SidecarConfig;
import io.sei.operator.config.UrlTemplate;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.SmallHeap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers that are made to take more memory than they have bytes. */
class HostileAnswersTest {

  private static final int THREADS = 16;

  /** Each thread meets it once in {@code make test}: what counts is how many do so at a time. */
  private static final int REQUESTS = Cases.count(1, 3);

  /** Nearly as many as Java takes by default. */
  private static final int HEADERS = 40_000;

  /** Meets it in as many reconciles at once as there are by default. */
  @ParameterizedTest
  @CsvSource({"200, '[', '[]]'", "400, '{\"error\":\"x\",\"z\":[', '[]]}'"})
  void sidecarsThatAnswerWithAMillionEmptyListsDoNotEndTheOperator(
      int status, String begin, String end) throws Exception {
    String body = begin + "[],".repeat(2_100_000) + end;
    try (ScriptedSidecar server = ScriptedSidecar.answering(status, body)) {
      assertIsSurvived(server);
    }
  }

  @Test
  void sidecarsThatAnswerWithManyHeadersDoNotEndTheOperator() throws Exception {
    try (var server =
        new ScriptedSidecar(
            exchange -> {
              for (int i = 0; i < HEADERS; i++) {
                exchange.getResponseHeaders().add(Integer.toString(i, Character.MAX_RADIX), "");
              }
              ScriptedSidecar.answer(exchange, 200, "[]");
            })) {
      assertIsSurvived(server);
    }
  }

  private static void assertIsSurvived(ScriptedSidecar server) throws Exception {
    String times = String.valueOf(REQUESTS);
    assertThat(SmallHeap.run(HostileAnswersTest.class, server.urlTemplate(), times))
        .isEqualTo("done");
  }

  /** Asks the sidecar at the first argument for all that is parsed, so many times. */
  public static void main(String[] arguments) throws InterruptedException {
    var config =
        new SidecarConfig(
            "image", new UrlTemplate(arguments[0]), Duration.ofSeconds(20), Optional.empty());
    int requests = Integer.parseInt(arguments[1]);
    var sidecar = new SidecarAddress("sei", "rpc-0", Optional.empty(), Optional.empty());
    try (var client =
        new HttpSidecarClient(
            config, new OpenAccess(Optional.empty()), new SimpleMeterRegistry())) {
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        threads.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      for (int request = 0; request < requests; request++) {
                        ask(() -> client.submit(sidecar, "1", "mark-ready", null));
                        ask(() -> client.statuses(sidecar, "mark-ready"));
                        ask(() -> client.lookup(sidecar, "1"));
                      }
                    }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    System.out.print("done");
  }

  private static void ask(Runnable request) {
    try {
      request.run();
    } catch (SidecarException e) {
      // A refusal, or no task.
    }
  }
}
