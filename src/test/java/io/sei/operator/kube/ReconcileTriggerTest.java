package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReconcileTriggerTest {

  private static final ResourceID NODE = new ResourceID("atlantic", "chain");
  private static final ResourceID OTHER = new ResourceID("pacific", "chain");

  private final List<ResourceID> woken = new ArrayList<>();
  private final List<Due> scheduled = new ArrayList<>();

  /** Keeps what is due until the test runs it. */
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(0) {
        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
          var due = new Due(task, unit.toMillis(delay));
          scheduled.add(due);
          return due;
        }
      };

  private final ReconcileTrigger<SeiNode> wakes = new ReconcileTrigger<>(timer);

  @BeforeEach
  void start() {
    wakes.setEventHandler(event -> woken.add(event.getRelatedCustomResourceID()));
    wakes.start();
  }

  @AfterEach
  void stop() {
    wakes.stop();
  }

  @Test
  void whatHappensTogetherIsOneWake() {
    wakes.soon(NODE);
    wakes.soon(NODE);
    wakes.within(NODE, Duration.ofSeconds(5));
    wakes.soon(OTHER);

    scheduled.forEach(Due::run);

    assertThat(woken).containsExactly(NODE, OTHER);
  }

  @Test
  void soonerWakeTakesThePlaceOfALaterOne() {
    wakes.within(NODE, Duration.ofSeconds(5));
    wakes.soon(NODE);

    scheduled.forEach(Due::run);

    assertThat(woken).containsExactly(NODE);
    assertThat(scheduled.get(0).isCancelled()).isTrue();
  }

  @Test
  void reconcileThatBeginsFirstIsNotFollowedByAnother() {
    wakes.soon(NODE);
    wakes.seen(NODE);
    scheduled.forEach(Due::run);
    assertThat(woken).isEmpty();

    wakes.soon(NODE);
    scheduled.forEach(Due::run);
    assertThat(woken).containsExactly(NODE);
  }

  private static final class Due extends FutureTask<Void> implements ScheduledFuture<Void> {
    private final long delay;

    Due(Runnable task, long delay) {
      super(task, null);
      this.delay = delay;
    }

    @Override
    public long getDelay(TimeUnit unit) {
      return unit.convert(delay, TimeUnit.MILLISECONDS);
    }

    @Override
    public int compareTo(Delayed other) {
      return Long.compare(delay, other.getDelay(TimeUnit.MILLISECONDS));
    }
  }
}
