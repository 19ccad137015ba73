package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.PodRecord;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The operator dies between any two of its requests; another one finishes what it began. */
class OperatorCrashTest extends RolloutTestCase {

  /** More than one rollout asks for. */
  private static final int MOST_REQUESTS = 40;

  @Test
  void updateResumesAfterACrashBeforeAnyRequest() {
    createRunning();
    for (int k = 0; k < MOST_REQUESTS; k++) {
      String image = "sei:k" + k;
      int runs = markReadyRuns();
      boolean crashed = crashBefore(k, () -> setImage(image), image);
      awaitUpToDate(image);
      List<PodRecord> pods = kubelet.history(namespace, POD);
      assertThat(pods).as("pods after a crash before request %s", k).hasSize(k + 2);
      assertThat(markReadyRuns() - runs)
          .as("mark-ready with a crash before request %s", k)
          .isEqualTo(1);
      if (!crashed) {
        return;
      }
    }
    throw new AssertionError("a rollout asked for more than " + MOST_REQUESTS + " requests");
  }

  /**
   * Changes something, lets the operator ask k times and no more, and starts another.
   *
   * @return false if the rollout ended before that many requests
   */
  private boolean crashBefore(int k, Runnable change, String image) {
    var asked = new AtomicInteger();
    var dead = new AtomicBoolean();
    operator
        .requests()
        .refuse(
            request -> {
              if (request.isAside() || request.isWatch()) {
                return false;
              }
              dead.compareAndSet(false, asked.getAndIncrement() >= k);
              return dead.get();
            });
    change.run();
    eventually(
        () ->
            assertThat(
                    dead.get()
                        || (image.equals(node().getStatus().currentImage()) && plan() == null))
                .isTrue());
    operator.stop();
    operator.requests().refuse(request -> false);
    operator.start();
    return dead.get();
  }
}
