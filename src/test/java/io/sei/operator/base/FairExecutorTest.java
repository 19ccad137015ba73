package io.sei.operator.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class FairExecutorTest {

  /** An owner is named by its namespace and a number. */
  private final FairSemaphore permits = new FairSemaphore(8, 2, 2);

  private final FairExecutor<String> executor =
      new FairExecutor<>("reads", owner -> owner.substring(0, 1), permits);

  private final Semaphore ends = new Semaphore(0);
  private final Map<Character, AtomicInteger> begun = new ConcurrentHashMap<>();

  @AfterEach
  void close() {
    executor.close();
  }

  @Test
  void namespaceThatReadsSlowlyDoesNotHoldUpAnother() {
    for (int i = 0; i < 9; i++) {
      read("a" + i);
    }
    await().until(() -> begun('a') == 6 && permits.waiting() == 3);

    for (int i = 0; i < 3; i++) {
      read("b" + i);
    }

    await().until(() -> begun('b') == 2 && permits.waiting() == 4);
    ends.release(12);
    await().until(() -> begun('a') == 9 && begun('b') == 3);
  }

  @Test
  void whatFailsMakesRoomForTheNext() {
    for (int i = 0; i < 20; i++) {
      executor.execute(
          "a",
          () -> {
            Thread.currentThread().setUncaughtExceptionHandler((thread, error) -> {});
            throw new IllegalStateException("of the test");
          });
    }
    var ran = new CountDownLatch(1);

    executor.execute("a", ran::countDown);

    await().until(() -> ran.getCount() == 0);
  }

  @Test
  void whatIsReadLaterWaitsForItsTurnToo() {
    for (int i = 0; i < 6; i++) {
      read("a" + i);
    }
    await().until(() -> begun('a') == 6);

    executor.schedule("a6", () -> begin("a6"), Duration.ZERO);

    await().until(() -> permits.waiting() == 1);
    ends.release(6);
    await().until(() -> begun('a') == 7);
  }

  @Test
  void nothingBeginsOnceItIsClosed() {
    for (int i = 0; i < 7; i++) {
      read("a" + i);
    }
    await().until(() -> permits.waiting() == 1);

    executor.close();

    await().until(() -> permits.waiting() == 0);
    executor.schedule("a7", () -> begin("a7"), Duration.ZERO);
    assertThat(begun('a')).isEqualTo(6);
  }

  private void read(String owner) {
    executor.execute(
        owner,
        () -> {
          begin(owner);
          ends.acquireUninterruptibly();
        });
  }

  private void begin(String owner) {
    begun.computeIfAbsent(owner.charAt(0), key -> new AtomicInteger()).incrementAndGet();
  }

  private int begun(char namespace) {
    return begun.getOrDefault(namespace, new AtomicInteger()).get();
  }
}
