package io.sei.operator.node;

import static io.sei.operator.sidecar.SidecarHealth.NOT_READY;
import static io.sei.operator.sidecar.SidecarHealth.READY;
import static io.sei.operator.sidecar.SidecarHealth.UNKNOWN;
import static io.sei.operator.sidecar.SidecarHealth.UNREACHABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.sidecar.SidecarAddress;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarHealth;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SidecarMonitorTest {

  private static final ResourceID NODE = new ResourceID("atlantic", "chain");
  private static final String POD = "pod-1";
  private static final SidecarAddress ADDRESS =
      new SidecarAddress("chain", "atlantic", Optional.of(POD), Optional.of("10.0.0.1"));

  private final Queue<SidecarHealth> answers = new ArrayDeque<>();
  private final Queue<Runnable> scheduled = new ArrayDeque<>();
  private int events;

  /** Keeps what is to be done later until the test does it. */
  private final ScheduledThreadPoolExecutor scheduler =
      new ScheduledThreadPoolExecutor(0) {
        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
          scheduled.add(task);
          return null;
        }
      };

  private final SidecarMonitor monitor = new SidecarMonitor(client(), scheduler);

  @BeforeEach
  void start() {
    monitor.setEventHandler(event -> events++);
    monitor.start();
  }

  @AfterEach
  void stop() {
    monitor.stop();
  }

  static List<Arguments> answers() {
    return List.of(
        row("one request unanswered", READY, 1, READY, UNREACHABLE),
        row("two in a row", READY, 1, READY, UNREACHABLE, UNREACHABLE),
        row("three in a row", UNREACHABLE, 2, READY, UNREACHABLE, UNREACHABLE, UNREACHABLE),
        row("three, not in a row", READY, 1, READY, UNREACHABLE, UNREACHABLE, READY, UNREACHABLE),
        row("never answered, asked twice", null, 0, UNREACHABLE, UNREACHABLE),
        row("never answered", UNREACHABLE, 1, UNREACHABLE, UNREACHABLE, UNREACHABLE, UNREACHABLE),
        row("nobody asked in between", READY, 1, READY, UNKNOWN, UNKNOWN, UNKNOWN),
        row("nobody asked between two", READY, 1, READY, UNREACHABLE, UNKNOWN, UNREACHABLE),
        row("nobody asked at first", NOT_READY, 1, UNKNOWN, NOT_READY),
        row("back again", NOT_READY, 2, UNREACHABLE, UNREACHABLE, UNREACHABLE, NOT_READY));
  }

  private static Arguments row(
      String what, SidecarHealth health, int events, SidecarHealth... answers) {
    return Arguments.of(what, health, events, List.of(answers));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("answers")
  void sidecarIsUnreachableOnceItLeftThreeRequestsInARowUnanswered(
      String what, SidecarHealth health, int wakes, List<SidecarHealth> said) {
    answers.addAll(said);

    monitor.watch(NODE, ADDRESS);
    while (!answers.isEmpty()) {
      scheduled.remove().run();
    }

    assertThat(monitor.health(NODE, POD)).isEqualTo(Optional.ofNullable(health));
    assertThat(events).isEqualTo(wakes);
  }

  private SidecarClient client() {
    return (SidecarClient)
        Proxy.newProxyInstance(
            SidecarClient.class.getClassLoader(),
            new Class<?>[] {SidecarClient.class},
            (proxy, method, arguments) -> CompletableFuture.completedFuture(answers.remove()));
  }
}
