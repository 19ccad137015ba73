package io.sei.operator.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class ReconcileThreadsTest {

  private static final int SHARE = ReconcileThreads.SHARE;

  /** Number of reconciles that compute at a time. */
  private static final int COMPUTING = 3;

  /** Number of places of a namespace that is alone. */
  private static final int ALONE = COMPUTING * ReconcileThreads.PLACES_PER_THREAD;

  /** Wait of a reconcile for an answer. */
  private interface Network {
    boolean call(Supplier<Boolean> request);
  }

  private final ReconcileThreads threads = new ReconcileThreads(COMPUTING);
  private final Map<String, AtomicInteger> inside = new ConcurrentHashMap<>();
  private final AtomicInteger computing = new AtomicInteger();
  private final AtomicInteger mostComputing = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();

  /** Permits to answer for the sidecars of a namespace. */
  private final Map<String, Semaphore> answers = new ConcurrentHashMap<>();

  @AfterEach
  void stop() {
    threads.shutdownNow();
    await().until(threads::isTerminated);
  }

  @Test
  void namespaceHasAllPlacesWhileNoOtherWaits() {
    waitForSidecars("a", ALONE + 2);

    awaitState("a", ALONE, 2);
  }

  @Test
  void otherwiseItHasEight() {
    waitForSidecars("a", ALONE + 2);
    awaitState("a", ALONE, 2);

    waitForSidecars("b", SHARE + 1);

    awaitState("b", SHARE, 3);
    assertThat(inside.get("a")).hasValue(ALONE);
    int more = ALONE - SHARE;
    answer("a", more);
    awaitState("a", SHARE, 3);
    assertThat(inside.get("b")).hasValue(SHARE);
    answer("a", 2);
    awaitState("a", SHARE, 1);
    answer("b", 1);
    awaitState("b", SHARE, 0);
  }

  @Test
  void limitedNumberComputesAtATimeAndOneThatWaitsForAnAnswerDoesNotCount() {
    var go = new CountDownLatch(1);
    for (int i = 0; i < COMPUTING + 2; i++) {
      submit(
          "a",
          () -> {
            compute(go);
            ReconcileThreads.onNetwork(() -> isAnswered("a"));
            compute(go);
          });
    }
    await().until(() -> computing.get() == COMPUTING);

    go.countDown();
    awaitState("a", COMPUTING + 2, 0);
    await().until(() -> computing.get() == 0);
    answer("a", COMPUTING + 2);

    await().until(() -> inside.get("a").get() == 0);
    assertThat(mostComputing).hasValue(COMPUTING);
  }

  @Test
  void oneThatWaitsOutsideGivesUpItsPlaceUntilItsEnd() {
    submit(
        "a",
        () -> {
          ReconcileThreads.onNetworkOutside(() -> isAnswered("outside"));
          ReconcileThreads.onNetwork(() -> isAnswered("outside"));
        });
    await().until(() -> answers("outside").hasQueuedThreads());
    waitForSidecars("a", ALONE + 2);
    awaitState("a", ALONE + 1, 2);

    answer("outside", 1);

    await().until(() -> answers("outside").availablePermits() == 0);
    waitForSidecars("a", 1);
    awaitState("a", ALONE + 1, 3);
    answer("outside", 1);
    awaitState("a", ALONE, 3);
  }

  @Test
  void asManyWaitOutsideAsThereArePlaces() {
    wait("a", 2 * ALONE + 2, ReconcileThreads::onNetworkOutside);
    awaitState("a", 2 * ALONE, 2);

    wait("b", 1, ReconcileThreads::onNetworkOutside);

    awaitState("b", 1, 2);
  }

  @Test
  void placeIsReturnedWhateverBecomesOfTheReconcile() {
    for (int i = 0; i < 2 * ALONE; i++) {
      submit(
          "a",
          () -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> {});
            throw new IllegalStateException("of the test");
          });
    }
    await().until(() -> ended.get() == 2 * ALONE);
    waitForSidecars("a", ALONE);

    awaitState("a", ALONE, 0);
  }

  @Test
  void schedulerRunsMoreThanThoseThatCompute() {
    assertThat(ReconcileThreads.parallelism(COMPUTING)).isGreaterThan(COMPUTING);
  }

  @Test
  void oneWithoutANamespaceRunsAsWell() {
    var ran = new CountDownLatch(1);

    threads.execute(ran::countDown);

    await().until(() -> ran.getCount() == 0);
  }

  @Test
  void whatIsNoReconcileMayWaitToo() {
    assertThat(ReconcileThreads.onNetwork(() -> "answer")).isEqualTo("answer");
    assertThat(ReconcileThreads.onNetworkOutside(() -> "answer")).isEqualTo("answer");
  }

  @Test
  void stopEndsWhatWaitsForAPlace() throws InterruptedException {
    waitForSidecars("a", ALONE + 2);
    awaitState("a", ALONE, 2);
    threads.shutdown();
    assertThat(threads.isShutdown()).isTrue();
    assertThat(threads.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();

    threads.shutdownNow();

    await().until(() -> threads.waiting() == 0);
  }

  private void waitForSidecars(String namespace, int count) {
    wait(namespace, count, ReconcileThreads::onNetwork);
  }

  /** Submits reconciles that wait for an answer each. */
  private void wait(String namespace, int count, Network network) {
    for (int i = 0; i < count; i++) {
      submit(namespace, () -> network.call(() -> isAnswered(namespace)));
    }
  }

  private Semaphore answers(String namespace) {
    return answers.computeIfAbsent(namespace, key -> new Semaphore(0));
  }

  private void answer(String namespace, int count) {
    answers(namespace).release(count);
  }

  private boolean isAnswered(String namespace) {
    try {
      answers(namespace).acquire();
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private void submit(String namespace, Runnable reconcile) {
    AtomicInteger own = inside.computeIfAbsent(namespace, key -> new AtomicInteger());
    MDC.put(ReconcileThreads.NAMESPACE, namespace);
    try {
      threads.execute(
          () -> {
            own.incrementAndGet();
            try {
              reconcile.run();
            } finally {
              own.decrementAndGet();
              ended.incrementAndGet();
            }
          });
    } finally {
      MDC.remove(ReconcileThreads.NAMESPACE);
    }
  }

  private void compute(CountDownLatch end) {
    mostComputing.accumulateAndGet(computing.incrementAndGet(), Math::max);
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    computing.decrementAndGet();
  }

  private void awaitState(String namespace, int hasBegun, int waits) {
    await()
        .untilAsserted(
            () -> {
              assertThat(inside.get(namespace)).hasValue(hasBegun);
              assertThat(threads.waiting()).isEqualTo(waits);
            });
  }
}
