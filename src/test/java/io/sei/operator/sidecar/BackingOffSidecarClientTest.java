package io.sei.operator.sidecar;

import static io.sei.operator.sidecar.SidecarException.Kind.FORBIDDEN;
import static io.sei.operator.sidecar.SidecarException.Kind.UNREACHABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.ReconcileThreads;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class BackingOffSidecarClientTest {

  private static final SidecarAddress SIDECAR = at("pod", "container", "plan");
  private static final SidecarException LATE =
      new SidecarException(UNREACHABLE, "no answer within 2000 ms", new TimeoutException());
  private static final SidecarException LATE_TO_CONNECT =
      new SidecarException(UNREACHABLE, "no answer within 2000 ms", new HttpTimeoutException(""));
  private static final SidecarException CLOSED =
      new SidecarException(UNREACHABLE, "cannot connect", new ConnectException());
  private static final SidecarException REFUSED = new SidecarException(FORBIDDEN, "403");
  private static final Optional<SidecarTask> TASK =
      Optional.of(
          new SidecarTask("id", "config-apply", SidecarTask.Status.COMPLETED, 1, "", Map.of()));

  private record Later(Duration delay, Runnable task) {}

  /** Answers of the sidecar: values, and exceptions, which are thrown. */
  private final Queue<Object> answers = new ConcurrentLinkedQueue<>();

  /** Requests that the sidecar received. */
  private final List<String> asked = new CopyOnWriteArrayList<>();

  /** Reads that wait for a thread of the background. */
  private final Queue<Runnable> aside = new ArrayDeque<>();

  private final Queue<Later> scheduled = new ArrayDeque<>();
  private final List<ResourceID> woken = new ArrayList<>();

  /** Keeps delayed work until the test runs it. */
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(0) {
        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
          scheduled.add(new Later(Duration.of(delay, unit.toChronoUnit()), task));
          return null;
        }
      };

  private final BackingOffSidecarClient client =
      new BackingOffSidecarClient(sidecar(), woken::add, aside::add, timer);

  @ParameterizedTest
  @MethodSource
  void afterOneTimeoutAReadIsReadAside(SidecarException timeout) {
    answers.add(timeout);
    SidecarException first = failure(() -> client.lookup(SIDECAR, "id"));
    assertThat(first).hasMessage(timeout.getMessage());
    assertThat(first.kind()).isEqualTo(UNREACHABLE);
    assertThat(first.isRepeated()).isTrue();

    SidecarException next = failure(() -> client.lookup(SIDECAR, "id"));
    assertThat(next).hasMessage(timeout.getMessage());
    assertThat(next.isRepeated()).isTrue();
    assertThat(asked).as("no reconcile waits").hasSize(1);
    assertThat(client.slow()).isEqualTo(1);

    answers.add(TASK);
    readAside();
    assertThat(woken).containsExactly(new ResourceID("node", "chain"));
    assertThat(client.slow()).isZero();
    assertThat(client.lookup(SIDECAR, "id")).isEqualTo(TASK);
    assertThat(asked).hasSize(2);

    answers.add(Optional.empty());
    assertThat(client.lookup(SIDECAR, "id")).as("given once").isEmpty();
  }

  static Stream<SidecarException> afterOneTimeoutAReadIsReadAside() {
    return Stream.of(LATE, LATE_TO_CONNECT);
  }

  @Test
  void pauseGrowsToTenSeconds() {
    beSlow();
    var pauses = new ArrayList<Long>();

    for (int i = 0; i < 7; i++) {
      pauses.add(scheduled.element().delay().toSeconds());
      answers.add(LATE);
      readAside();
    }

    assertThat(pauses).containsExactly(1L, 2L, 4L, 8L, 10L, 10L, 10L);
    assertThat(woken).isEmpty();
  }

  private enum News {
    POD(at("pod-2", "container", "plan")),
    CONTAINER(at("pod", "container-2", "plan")),
    PLAN(at("pod", "container", "plan-2"));

    private final SidecarAddress sidecar;

    News(SidecarAddress sidecar) {
      this.sidecar = sidecar;
    }
  }

  @ParameterizedTest
  @EnumSource
  void newPodContainerOrPlanEndsThePauseAndGetsNoAnswerOfTheOneBefore(News of) {
    beSlow();

    answers.add(Optional.empty());
    assertThat(client.lookup(of.sidecar, "id")).as("asked at once").isEmpty();

    answers.add(TASK);
    readAside();
    answers.add(Optional.empty());
    assertThat(client.lookup(of.sidecar, "id")).as("asked again").isEmpty();
    assertThat(asked).hasSize(4);
  }

  @Test
  void answerToAnotherQuestionIsNotGiven() {
    beSlow();
    answers.add(TASK);
    readAside();

    answers.add(Set.of(SidecarTask.Status.RUNNING));
    assertThat(client.statuses(SIDECAR, "config-apply")).hasSize(1);
    answers.add(Optional.empty());
    assertThat(client.lookup(SIDECAR, "id")).as("what was known is old").isEmpty();
  }

  @Test
  void questionThatWasAskedLastIsReadNext() {
    beSlow();
    failure(() -> client.knows(SIDECAR, "restart-seid"));

    answers.add(true);
    readAside();

    assertThat(asked).endsWith("knows");
    assertThat(client.knows(SIDECAR, "restart-seid")).isTrue();
    assertThat(asked).hasSize(2);
  }

  @Test
  void refusalIsAnAnswer() {
    beSlow();
    answers.add(REFUSED);
    readAside();

    assertThat(failure(() -> client.lookup(SIDECAR, "id"))).isSameAs(REFUSED);
    answers.add(TASK);
    assertThat(client.lookup(SIDECAR, "id")).isEqualTo(TASK);
    assertThat(woken).hasSize(1);
  }

  @Test
  void sidecarThatAnswersOrRefusesAConnectionIsAskedEachTime() {
    answers.addAll(List.of(CLOSED, CLOSED, REFUSED, TASK));

    assertThat(failure(() -> client.lookup(SIDECAR, "id"))).isSameAs(CLOSED);
    assertThat(failure(() -> client.submit(SIDECAR, "id", "type", null))).isSameAs(CLOSED);
    assertThat(failure(() -> client.lookup(SIDECAR, "id"))).isSameAs(REFUSED);
    assertThat(client.lookup(SIDECAR, "id")).isEqualTo(TASK);
    assertThat(scheduled).isEmpty();
  }

  @Test
  void sidecarOfWhichNoReconcileReadsIsNotAskedAgain() {
    beSlow();
    for (int i = 0; i < 15; i++) {
      failure(() -> client.lookup(SIDECAR, "id"));
      answers.add(LATE);
      readAside();
    }
    assertThat(asked).as("as long as it is asked for").hasSize(16);

    while (!scheduled.isEmpty()) {
      answers.add(LATE);
      readAside();
    }

    assertThat(asked).hasSizeLessThan(16 + 15);
    assertThat(client.slow()).isZero();
  }

  @Test
  void answerThatNoReconcileReadsExpires() {
    beSlow();
    answers.add(TASK);
    readAside();

    scheduled.remove().task().run();

    answers.add(Optional.empty());
    assertThat(client.lookup(SIDECAR, "id")).isEmpty();
  }

  @Test
  void whatWritesIsSentByItsCallerOrNotAtAll() {
    beSlow();

    answers.addAll(List.of(true, true));
    client.submit(SIDECAR, "id", "type", null);
    assertThat(client.cancel(SIDECAR, "id")).isTrue();
    assertThat(asked).containsExactly("lookup", "submit", "cancel");

    answers.addAll(List.of(LATE, LATE, LATE));
    assertThat(failure(() -> client.submit(SIDECAR, "id", "type", null)).kind())
        .isEqualTo(UNREACHABLE);
    failure(() -> client.cancel(SIDECAR, "id"));
    readAside();
    readAside();
    readAside();
    assertThat(asked).containsExactly("lookup", "submit", "cancel", "submit", "cancel", "lookup");
  }

  @Test
  void pauseGrowsWithTimeoutsOfWritesToo() {
    beSlow();
    scheduled.clear();
    answers.add(LATE);

    failure(() -> client.cancel(SIDECAR, "id"));

    assertThat(scheduled.element().delay()).isEqualTo(Duration.ofSeconds(2));
  }

  @Test
  void whatWasReadBeforeAWriteIsNotGivenAfterIt() {
    beSlow();
    answers.addAll(List.of(TASK, true));
    readAside();
    client.submit(SIDECAR, "id", "type", null);

    answers.add(Optional.empty());
    assertThat(client.lookup(SIDECAR, "id")).isEmpty();
  }

  @Test
  void whatIsBeingReadDuringAWriteIsNotGivenAfterIt() {
    beSlow();
    answers.add(
        (Consumer<SidecarAddress>)
            sidecar -> {
              answers.addAll(List.of(true, TASK));
              client.submit(sidecar, "id", "type", null);
            });
    readAside();

    assertThat(woken).isEmpty();
    answers.add(Optional.empty());
    assertThat(client.lookup(SIDECAR, "id")).isEmpty();
  }

  @Test
  void healthOfASilentSidecarIsUnreachableAndReadAside() {
    answers.add(SidecarHealth.UNREACHABLE);
    assertThat(client.health(SIDECAR)).isEqualTo(SidecarHealth.UNREACHABLE);
    assertThat(client.health(SIDECAR)).isEqualTo(SidecarHealth.UNREACHABLE);
    assertThat(asked).hasSize(1);

    answers.add(SidecarHealth.NOT_READY);
    readAside();

    assertThat(client.health(SIDECAR)).isEqualTo(SidecarHealth.NOT_READY);
    assertThat(asked).hasSize(2);
  }

  @Test
  void nothingIsReadAfterTheStop() {
    timer.shutdown();

    beSlow();

    assertThat(scheduled).isEmpty();
  }

  /** A namespace has eight places where one reconcile computes at a time. */
  @Test
  void whatWritesToASlowSidecarGivesUpItsPlace() {
    List<SidecarAddress> slow =
        IntStream.range(0, 8).mapToObj(i -> at("pod-" + i, "container", "plan")).toList();
    slow.forEach(this::beSlow);
    var asking = new CountDownLatch(slow.size());
    var late = new CountDownLatch(1);
    var another = new CountDownLatch(1);
    Consumer<SidecarAddress> slowly =
        sidecar -> {
          asking.countDown();
          waitFor(late);
        };
    slow.forEach(sidecar -> answers.add(slowly));
    slow.forEach(sidecar -> answers.add(true));
    var threads = new ReconcileThreads(1);
    slow.forEach(sidecar -> threads.execute(() -> client.cancel(sidecar, "id")));
    waitFor(asking);

    threads.execute(another::countDown);

    waitFor(another);
    late.countDown();
    threads.close();
  }

  private static void waitFor(CountDownLatch latch) {
    await().until(() -> latch.getCount() == 0);
  }

  private void beSlow() {
    beSlow(SIDECAR);
  }

  private void beSlow(SidecarAddress sidecar) {
    answers.add(LATE);
    failure(() -> client.lookup(sidecar, "id"));
  }

  /** Does what is due next, and reads what it asks for. */
  private void readAside() {
    if (!scheduled.isEmpty()) {
      scheduled.remove().task().run();
    }
    if (!aside.isEmpty()) {
      aside.remove().run();
    }
  }

  private static SidecarException failure(Runnable call) {
    SidecarException failure = catchThrowableOfType(SidecarException.class, call::run);
    assertThat(failure).isNotNull();
    return failure;
  }

  private static SidecarAddress at(String pod, String container, String plan) {
    return new SidecarAddress(
        "chain",
        "node",
        Optional.of(pod),
        Optional.of("10.0.0.1"),
        Optional.of(container),
        Optional.of(plan));
  }

  private SidecarClient sidecar() {
    return (SidecarClient)
        Proxy.newProxyInstance(
            SidecarClient.class.getClassLoader(),
            new Class<?>[] {SidecarClient.class},
            (proxy, method, arguments) -> {
              asked.add(method.getName());
              return answer((SidecarAddress) arguments[0]);
            });
  }

  @SuppressWarnings("unchecked")
  private Object answer(SidecarAddress sidecar) {
    Object answer = answers.remove();
    if (answer instanceof Consumer<?> meanwhile) {
      ((Consumer<SidecarAddress>) meanwhile).accept(sidecar);
      return answers.remove();
    }
    if (answer instanceof SidecarException failure) {
      throw failure;
    }
    return answer;
  }
}
