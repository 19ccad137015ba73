package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.SeiNode;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReconcileGateTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final ReconcileGate gate = new ReconcileGate(namespace -> true);
  private final AtomicInteger runs = new AtomicInteger();

  @Test
  void lettingInRunsTheReconcileAndPassesOnWhenToLookAgain() {
    var control = gate.<SeiNode>run(() -> Optional.of(Duration.ofSeconds(3)), () -> false);

    assertThat(control.getScheduleDelay()).contains(3000L);
  }

  @Test
  void nothingRunsOnceItIsShut() {
    gate.shut(PATIENCE);

    gate.<SeiNode>run(this::reconcile, () -> false);

    assertThat(runs).hasValue(0);
  }

  @Test
  void shuttingWaitsForWhatIsInsideAndLetsNothingElseIn() {
    var end = new CountDownLatch(1);
    CompletableFuture<Void> reconcile = insideUntil(end);
    var shut = CompletableFuture.runAsync(() -> gate.shut(PATIENCE));
    await()
        .untilAsserted(
            () -> {
              int before = runs.get();
              gate.<SeiNode>run(this::reconcile, () -> false);
              assertThat(runs).hasValue(before);
            });
    assertThat(shut).isNotDone();
    int before = runs.get();

    end.countDown();
    shut.join();

    assertThat(reconcile.join()).isNull();
    assertThat(runs).hasValue(before + 1);
  }

  @Test
  void shuttingDoesNotWaitForEver() {
    var end = new CountDownLatch(1);
    CompletableFuture<Void> reconcile = insideUntil(end);

    gate.shut(Duration.ofMillis(10));

    assertThat(reconcile).isNotDone();
    end.countDown();
    reconcile.join();
  }

  @ParameterizedTest
  @CsvSource({"404, true, false", "404, false, true", "409, true, false", "409, false, false"})
  void whatFailsIsNoFailureOnceTheResourceIsGone(int code, boolean isGone, boolean fails) {
    var error = new KubernetesClientException("refused", code, null);

    ThrowingCallable run =
        () ->
            gate.<SeiNode>run(
                () -> {
                  throw error;
                },
                () -> isGone);

    assertThat(catchThrowable(run)).isEqualTo(fails ? error : null);
  }

  private CompletableFuture<Void> insideUntil(CountDownLatch end) {
    var inside = new CountDownLatch(1);
    var reconcile =
        CompletableFuture.runAsync(
            () ->
                gate.<SeiNode>run(
                    () -> {
                      inside.countDown();
                      waitFor(end);
                      return reconcile();
                    },
                    () -> false));
    waitFor(inside);
    return reconcile;
  }

  private Optional<Duration> reconcile() {
    runs.incrementAndGet();
    return Optional.empty();
  }

  private static void waitFor(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
