package io.sei.operator.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.Thread.State;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** The operator is stopped while a reconcile is at work. */
class OperatorStopTest extends FleetTestCase {

  /** The contents of the caches show in the metrics, which are computed from them. */
  @Test
  void cachesStayFilledUntilTheLastReconcileHasEnded() throws InterruptedException {
    createReady(2);
    var held = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    operator
        .requests()
        .beforeEach(
            request -> {
              if (request.isWrite() && request.path().endsWith("/fleet-0/status")) {
                held.countDown();
                waitFor(goOn);
              }
            });
    patch(node(0), "{'metadata':{'annotations':{'sei.io/explain':'now'}}}");
    waitFor(held);

    var stop = new Thread(operator::stop, "stop");
    stop.start();
    eventually(() -> assertThat(stop.getState()).isIn(State.WAITING, State.TIMED_WAITING));
    assertThat(operator.scrape()).contains("name=\"fleet-0\"", "name=\"fleet-1\"");
    goOn.countDown();
    stop.join();

    assertThat(node(0).getStatus().explain()).isNotNull();
    operator.requests().beforeEach(request -> {});
    operator.start();
    awaitUpToDate(2, A);
  }

  private static void waitFor(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
