package io.sei.operator.kube;

import static io.sei.operator.kube.ObjectEvent.normal;
import static io.sei.operator.testkit.samples.Samples.yaml;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Checks Events that the API server refuses, or that meet errors and hangs. */
class EventRecorderFailureTest {
  private static final ConfigMap NODE =
      yaml(ConfigMap.class, "metadata: {namespace: sei, name: rpc-0, uid: u}");

  /**
   * Component of this recorder alone: the other tests of this JVM record Events, and log, as well.
   */
  private static final String COMPONENT = "refused-events";

  private final AtomicInteger status = new AtomicInteger(201);
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger hangUps = new AtomicInteger();
  private final CountDownLatch answering = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final RememberingAppender logged = new RememberingAppender();
  private final Logger logger = (Logger) LoggerFactory.getLogger(EventRecorder.class);
  private HttpServer server;
  private KubernetesClient client;
  private EventRecorder recorder;

  @BeforeEach
  void setUp() throws IOException {
    logged.start();
    logger.addAppender(logged);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          // Before the count, which tells the test that it may change the status.
          int answer = status.get();
          requests.incrementAndGet();
          var body = exchange.getRequestBody().readAllBytes();
          if (answer == 0) {
            try {
              answering.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
          if (hangUps.getAndDecrement() > 0) {
            exchange.close();
            return;
          }
          exchange.getResponseHeaders().set("Content-Type", "application/json");
          exchange.sendResponseHeaders(answer == 0 ? 201 : answer, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder()
                    .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                    .withRequestRetryBackoffLimit(0)
                    .build())
            .build();
    recorder =
        new EventRecorder(client, COMPONENT, "host", Clock.systemUTC(), 5, EventRecorder.FLUSH);
  }

  @AfterEach
  void tearDown() {
    answering.countDown();
    recorder.close();
    logger.detachAppender(logged);
    client.close();
    server.stop(0);
    threads.shutdownNow();
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 404, 500})
  void refusalsAreLoggedOnceUntilOneSucceeds(int refusal) {
    status.set(refusal);
    record(1, 2, 3);
    await().untilAsserted(() -> assertThat(requests).hasValue(3));
    status.set(201);
    record(4);
    await().untilAsserted(() -> assertThat(requests).hasValue(4));
    assertThat(logged.warnings()).singleElement().asString().contains("rpc-0");

    status.set(refusal);
    record(5);
    await().untilAsserted(() -> assertThat(logged.warnings()).hasSize(2));
  }

  @Test
  void eventThatNobodyAnsweredIsSentAgain() {
    hangUps.set(4);
    record(1);
    await().untilAsserted(() -> assertThat(requests).hasValueGreaterThanOrEqualTo(5));
    assertNothingIsLoggedBeforeTheNextRefusal();
  }

  @Test
  void eventThatNobodyAnswersIsGivenUpAndLogged() {
    hangUps.set(Integer.MAX_VALUE);
    record(1);

    await()
        .untilAsserted(
            () -> assertThat(logged.warnings()).singleElement().asString().contains("rpc-0"));
    assertThat(requests).hasValueGreaterThanOrEqualTo(5);
  }

  /** The client repeated a request whose response was lost. */
  @Test
  void eventThatIsThereAlreadyIsRecorded() {
    status.set(409);
    record(1);
    await().untilAsserted(() -> assertThat(requests).hasValue(1));
    assertNothingIsLoggedBeforeTheNextRefusal();
  }

  @Test
  void aHangingServerNeverBlocksAReconcile() {
    status.set(0);

    record(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);

    // Whatever waited for an answer would have given it up, and sent the next one.
    assertThat(requests).hasValueLessThanOrEqualTo(1);
    await().untilAsserted(() -> assertThat(requests).hasValue(1));
    answering.countDown();

    await()
        .untilAsserted(
            () -> assertThat(logged.warnings()).singleElement().asString().contains("Dropped 4"));
    await().untilAsserted(() -> assertThat(requests).hasValue(6));
  }

  @Test
  void closingGivesUpAfterTwoSeconds() {
    status.set(0);
    record(1, 2);
    await().untilAsserted(() -> assertThat(requests).hasValue(1));

    assertThat(elapsed(recorder::close)).isGreaterThanOrEqualTo(Duration.ofMillis(1900));
    assertThat(requests).as("the second one is not sent").hasValue(1);
  }

  private void assertNothingIsLoggedBeforeTheNextRefusal() {
    status.set(403);
    record(2);
    await().untilAsserted(() -> assertThat(logged.warnings()).isNotEmpty());
    assertThat(logged.warnings()).singleElement().asString().contains("403");
  }

  private void record(int... messages) {
    for (int message : messages) {
      recorder.record(NODE, normal("A", "message " + message));
    }
  }

  private static Duration elapsed(Runnable action) {
    long start = System.nanoTime();
    action.run();
    return Duration.ofNanos(System.nanoTime() - start);
  }

  private static final class RememberingAppender extends AppenderBase<ILoggingEvent> {
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();

    @Override
    protected void append(ILoggingEvent event) {
      if (event.getThreadName().endsWith(COMPONENT)) {
        events.add(event);
      }
    }

    List<String> warnings() {
      return events.stream()
          .filter(e -> e.getLevel() == Level.WARN)
          .map(ILoggingEvent::getFormattedMessage)
          .toList();
    }
  }
}
