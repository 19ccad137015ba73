package io.sei.operator.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.sei.operator.base.FairSemaphore.Waiter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FairSemaphoreTest {

  private static final String A = "a";
  private static final String B = "b";
  private static final String C = "c";

  @Test
  void namespaceThatIsAloneHoldsAllThatAreNotReserved() {
    var semaphore = new FairSemaphore(12, 3, 2);

    assertThat(served(enqueue(semaphore, A, 12))).isEqualTo(10);
    assertThat(semaphore.waiting()).isEqualTo(2);
  }

  @Test
  void anotherNamespaceNeedNotWaitForIt() {
    var semaphore = new FairSemaphore(12, 3, 2);
    enqueue(semaphore, A, 12);

    assertThat(served(enqueue(semaphore, B, 1))).isEqualTo(1);
    assertThat(served(enqueue(semaphore, C, 1))).isEqualTo(1);
  }

  @Test
  void namespacesHoldNoMoreThanTheirShareWhileBothWait() {
    var semaphore = new FairSemaphore(12, 3, 2);
    List<Waiter> a = enqueue(semaphore, A, 12);
    List<Waiter> b = enqueue(semaphore, B, 4);
    assertThat(served(b)).as("the two that were kept").isEqualTo(2);

    semaphore.release(A);
    assertThat(served(b)).as("up to its share").isEqualTo(3);
    IntStream.range(0, 6).forEach(i -> semaphore.release(A));
    assertThat(served(a)).as("it still holds its share").isEqualTo(10);
    assertThat(served(b)).isEqualTo(3);

    semaphore.release(A);
    assertThat(served(a)).as("it holds one less").isEqualTo(11);
    semaphore.release(B);
    assertThat(served(b)).isEqualTo(4);
    assertThat(served(a)).as("no other namespace waits").isEqualTo(12);
  }

  @Test
  void namespaceThatHoldsTheFewestIsServedFirstAndItsThreadsInTheirOrder() {
    var semaphore = new FairSemaphore(3, 3, 0);
    enqueue(semaphore, A, 2);
    enqueue(semaphore, B, 1);
    List<Waiter> a = enqueue(semaphore, A, 1);
    List<Waiter> b = enqueue(semaphore, B, 2);

    semaphore.release(A);
    assertThat(served(a)).as("both hold one, and it has waited longer").isEqualTo(1);
    semaphore.release(A);
    assertThat(b).extracting(Waiter::isServed).as("both hold one").containsExactly(true, false);
  }

  @Test
  void namespacesThatHoldEquallyManyTakeTurns() {
    var semaphore = new FairSemaphore(1, 1, 0);
    enqueue(semaphore, A, 1);
    List<Waiter> a = enqueue(semaphore, A, 2);
    List<Waiter> b = enqueue(semaphore, B, 2);

    semaphore.release(A);
    semaphore.release(A);
    assertThat(served(a)).isEqualTo(1);
    assertThat(served(b)).isEqualTo(1);
    semaphore.release(B);
    assertThat(served(a)).isEqualTo(2);
  }

  @Test
  void waitThatIsAbandonedLetsOthersGoOn() {
    var semaphore = new FairSemaphore(4, 1, 0);
    enqueue(semaphore, A, 2);
    enqueue(semaphore, B, 2);
    List<Waiter> a = enqueue(semaphore, A, 1);
    List<Waiter> b = enqueue(semaphore, B, 1);
    semaphore.release(A);
    assertThat(served(a) + served(b)).as("each holds its share, and the other waits").isZero();

    a.forEach(semaphore::abandon);

    assertThat(served(b)).isEqualTo(1);
    assertThat(semaphore.waiting()).isZero();
  }

  @Test
  void permitThatCameTooLateIsReturned() {
    var semaphore = new FairSemaphore(1, 1, 0);
    Waiter served = semaphore.enqueue(A);
    Waiter next = semaphore.enqueue(B);

    semaphore.abandon(served);

    assertThat(next.isServed()).isTrue();
  }

  @Test
  void permitIsTakenAtOnceOrNotAtAll() {
    var semaphore = new FairSemaphore(5, 1, 1);

    assertThat(IntStream.range(0, 5).filter(i -> semaphore.tryAcquire(A)).count()).isEqualTo(4);
    assertThat(semaphore.tryAcquire(B)).isTrue();
    assertThat(semaphore.waiting()).isZero();
  }

  @Test
  void interruptEndsAWaitUnlessItIsToLast() {
    var semaphore = new FairSemaphore(1, 1, 0);
    semaphore.enqueue(A);
    Thread.currentThread().interrupt();

    assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> semaphore.acquire(B));
    assertThat(semaphore.waiting()).isZero();

    var lasting =
        CompletableFuture.supplyAsync(
            () -> {
              Thread.currentThread().interrupt();
              semaphore.acquireUninterruptibly(B);
              return Thread.interrupted();
            },
            Thread::startVirtualThread);
    await().until(() -> semaphore.waiting() == 1);
    semaphore.release(A);
    assertThat(lasting.join()).as("the interrupt is not lost").isTrue();
  }

  /** Every sequence of six requests and returns of three namespaces. */
  @ParameterizedTest
  @CsvSource({"1, 1, 0", "3, 1, 0", "3, 2, 0", "3, 1, 1", "4, 2, 1", "4, 2, 2", "4, 4, 0"})
  void noNamespaceWaitsBelowItsShareOrExceedsIt(int permits, int share, int reserved) {
    int operations = 6;
    int length = 6;
    for (int sequence = 0; sequence < Math.pow(operations, length); sequence++) {
      var model = new Model(permits, share, reserved);
      for (int step = 0, rest = sequence; step < length; step++, rest /= operations) {
        model.step(List.of(A, B, C).get(rest % operations / 2), rest % 2 == 0);
      }
    }
  }

  /** Requested and returned permits, with a second implementation of the rule to compare with. */
  private static final class Model {

    private final FairSemaphore semaphore;
    private final int permits;
    private final int share;
    private final int reserved;
    private final Map<String, Queue<Waiter>> waiting = new HashMap<>();
    private final Map<String, Integer> held = new HashMap<>();

    Model(int permits, int share, int reserved) {
      this.semaphore = new FairSemaphore(permits, share, reserved);
      this.permits = permits;
      this.share = share;
      this.reserved = reserved;
    }

    void step(String namespace, boolean asks) {
      if (asks) {
        waiting
            .computeIfAbsent(namespace, key -> new ArrayDeque<>())
            .add(semaphore.enqueue(namespace));
      } else if (held(namespace) > 0) {
        held.merge(namespace, -1, Integer::sum);
        semaphore.release(namespace);
      }
      waiting.forEach(this::noteServed);
      assertThat(free()).isNotNegative();
      assertThat(waitingNamespaces()).noneMatch(this::mayBeServed);
    }

    private void noteServed(String namespace, Queue<Waiter> queue) {
      while (!queue.isEmpty() && queue.peek().isServed()) {
        queue.remove();
        held.merge(namespace, 1, Integer::sum);
        if (held(namespace) > share) {
          assertThat(waitingNamespaces()).isSubsetOf(namespace);
          assertThat(free()).isGreaterThanOrEqualTo(reserved);
        }
      }
      assertThat(queue).as("in their order").noneMatch(Waiter::isServed);
    }

    private boolean mayBeServed(String namespace) {
      boolean isAlone = waitingNamespaces().size() == 1;
      return held(namespace) < share ? free() > 0 : isAlone && free() > reserved;
    }

    private List<String> waitingNamespaces() {
      return waiting.keySet().stream()
          .filter(namespace -> !waiting.get(namespace).isEmpty())
          .toList();
    }

    private int free() {
      return permits - held.values().stream().mapToInt(Integer::intValue).sum();
    }

    private int held(String namespace) {
      return held.getOrDefault(namespace, 0);
    }
  }

  private static List<Waiter> enqueue(FairSemaphore semaphore, String namespace, int count) {
    var waiters = new ArrayList<Waiter>();
    for (int i = 0; i < count; i++) {
      waiters.add(semaphore.enqueue(namespace));
    }
    return waiters;
  }

  private static long served(List<Waiter> waiters) {
    return waiters.stream().filter(Waiter::isServed).count();
  }
}
