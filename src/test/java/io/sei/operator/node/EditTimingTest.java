package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.RequestLog;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whenever an image is edited, the last one is what runs, in a pod that was made once. */
class EditTimingTest extends RolloutTestCase {

  private static final int RANDOM_ROLLS = 12;
  private static final List<String> KNOWN = List.of(A, B, C, "sei:d");
  private static final int LONGEST_DELAY_MILLIS = 700;

  /** More than one rollout asks for. */
  private static final int MOST_REQUESTS = 40;

  @Tag("long")
  @Test
  void editsAtRandomMomentsConverge() throws InterruptedException {
    long seed = System.nanoTime();
    var random = new Random(seed);
    createRunning();
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    try {
      for (int roll = 0; roll < RANDOM_ROLLS; roll++) {
        int edits = 2 + random.nextInt(3);
        var images = new ArrayList<String>();
        random.ints(edits - 1, 0, KNOWN.size()).forEach(i -> images.add(KNOWN.get(i)));
        // An image that never ran before can be counted; one that did uses its old revision.
        images.add(roll % 2 == 0 ? "sei:r" + roll : KNOWN.get(random.nextInt(KNOWN.size())));
        var done = new CountDownLatch(edits);
        long delay = 0;
        for (String image : images) {
          timer.schedule(
              () -> {
                setImage(image);
                done.countDown();
              },
              delay,
              TimeUnit.MILLISECONDS);
          delay += random.nextInt(LONGEST_DELAY_MILLIS);
        }
        assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        String last = images.get(edits - 1);
        String what = "seed " + seed + " roll " + roll + " " + images;
        assertConverged(last, what);
        if (roll % 2 == 0) {
          assertThat(images()).as(what).containsOnlyOnce(last);
        }
      }
    } finally {
      timer.shutdownNow();
    }
  }

  /** The k-th request, for every k: right after the one before, and right before this one. */
  @Test
  @Tag("long")
  void editBeforeAnyRequestOfARolloutConverges() {
    createRunning();
    for (int k = 0; k < MOST_REQUESTS; k++) {
      // Every other time the second edit goes back to what runs.
      String before = node().getSpec().image();
      String last = k % 2 == 0 ? "sei:z" + k : before;
      int podsBefore = images().size();
      int target = k;
      var asked = new AtomicInteger();
      operator
          .requests()
          .beforeEach(
              request -> {
                if (!request.isAside() && !request.isWatch() && asked.getAndIncrement() == target) {
                  setImage(last);
                }
              });
      String passing = "sei:y" + k;
      setImage(passing);
      eventually(() -> assertThat(asked.get() > target || isAtRest(passing)).isTrue());
      operator.requests().beforeEach(request -> {});
      if (asked.get() <= target) {
        return;
      }
      assertConverged(last, "edit before request " + k);
      List<String> since = images().subList(podsBefore, images().size());
      assertThat(since).filteredOn(last::equals).as("before request %s", k).hasSizeLessThan(2);
    }
    throw new AssertionError("a rollout asked for more than " + MOST_REQUESTS + " requests");
  }

  @Test
  void editRightBeforeThePodIsDeletedConverges() {
    createRunning();
    editBefore(request -> request.method().equals("DELETE"), C);

    setImage(B);

    assertConverged(C, "edit before the delete");
    assertThat(images()).containsOnlyOnce(C);
  }

  @Test
  void editWhileTheTemplateIsAppliedConverges() {
    createRunning();
    editBefore(
        request -> request.method().equals("PATCH") && request.path().contains("/statefulsets/"),
        A);

    setImage(B);

    eventually(() -> assertThat(events("PlanSuperseded")).isNotEmpty());
    assertConverged(A, "edit before the apply");
    assertThat(images().size()).isLessThanOrEqualTo(3);
  }

  private void editBefore(Predicate<RequestLog.Request> wanted, String image) {
    var once = new AtomicInteger();
    operator
        .requests()
        .beforeEach(
            request -> {
              if (wanted.test(request) && once.getAndIncrement() == 0) {
                setImage(image);
              }
            });
  }

  private boolean isAtRest(String image) {
    return image.equals(node().getStatus().currentImage()) && plan() == null;
  }

  private void assertConverged(String image, String what) {
    try {
      awaitUpToDate(image);
      assertThat(node().getSpec().image()).isEqualTo(image);
      assertThat(plan()).isNull();
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(what + ": " + images() + " " + node().getStatus(), e);
    }
  }
}
