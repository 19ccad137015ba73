package io.sei.operator.node;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.base.FairExecutor;
import io.sei.operator.base.FairSemaphore;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.diagnosis.CrashedRun;
import io.sei.operator.diagnosis.Diagnosis;
import io.sei.operator.diagnosis.Evidence;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.testkit.samples.End;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CrashLogsTest {

  private static final ResourceID NODE = new ResourceID("node", "chain");
  private static final String HALT =
      "panic: UPGRADE \"v2\" NEEDED at height: 60: \n\ngoroutine 1 [running]:\n";

  private static final String MOVED_ON = "moved on";

  private static final String BUSY = "busy";
  private static final String BUSY_ONCE = "busy once";

  private final AtomicInteger reads = new AtomicInteger();
  private final Map<String, String> logs = new ConcurrentHashMap<>();
  private final CountDownLatch forEver = new CountDownLatch(1);
  private final FairExecutor<ResourceID> readers =
      new FairExecutor<>("reads", owner -> "chain", new FairSemaphore(2, 2, 0));
  private final CrashLogs crashLogs = logs(this::read);

  private CrashLogs logs(CrashLogs.Reader reader) {
    return new CrashLogs(reader, new PerObjectState<>(), readers, Duration.ofMillis(10));
  }

  @AfterEach
  void stop() {
    readers.close();
  }

  @Test
  void logTakesThePlaceOfTheMessage() {
    logs.put("run-1", HALT);

    crashLogs.look(NODE, crashed("pod", "run-1"));

    awaitHalt(crashed("pod", "run-1"));
    assertThat(isReading(crashLogs, crashed("pod", "run-1"))).isFalse();
  }

  /** The words wake the node, whose next pass has them. */
  @Test
  void nothingIsConcludedOfAPodThatWasObservedBeforeItsLogWasRead() {
    logs.put("run-1", HALT);
    crashLogs.look(NODE, crashed("pod", "run-1"));
    awaitHalt(crashed("pod", "run-1"));

    assertThat(crashLogs.isReading(NODE, crashed("pod", "run-1"))).isTrue();
  }

  private static boolean isReading(CrashLogs of, Pod pod) {
    return of.isReading(NODE, of.withWords(NODE, pod));
  }

  @Test
  void logOfARunThatEndedWellProvesNoUpgrade() {
    logs.put("run-1", HALT + "\n\ngoroutine 1 [running]:\n");
    crashLogs.look(NODE, crashed("pod", "run-1"));
    awaitHalt(crashed("pod", "run-1"));

    assertThat(crashLogs.halt(NODE, crashed("pod", "run-1"))).isPresent();
    assertThat(crashLogs.halt(NODE, endedWell(crashed("pod", "run-1")))).isEmpty();
  }

  private static Pod endedWell(Pod pod) {
    Pod well = new PodBuilder(pod).build();
    well.getStatus().getContainerStatuses().get(0).getState().getTerminated().setExitCode(0);
    return well;
  }

  @Test
  void haltIsShownWhileTheLogOfTheNextRunIsRead() {
    logs.put("run-1", HALT);
    crashLogs.look(NODE, crashed("pod", "run-1"));
    awaitHalt(crashed("pod", "run-1"));

    crashLogs.look(NODE, crashed("pod", "run-2"));

    assertThat(halt(crashLogs.withWords(NODE, crashed("pod", "run-2")))).isPresent();
    assertThat(isReading(crashLogs, crashed("pod", "run-2"))).isFalse();
  }

  @Test
  void aRunThatWasReadyEndsWhatTheRunBeforeItSaid() {
    logs.put("run-1", HALT);
    crashLogs.look(NODE, crashed("pod", "run-1"));
    awaitHalt(crashed("pod", "run-1"));
    crashLogs.look(NODE, aPod(crashed("pod", "run-1")).ready().build());

    crashLogs.look(NODE, crashed("pod", "run-2"));

    assertThat(halt(crashLogs.withWords(NODE, crashed("pod", "run-2")))).isEmpty();
    assertThat(isReading(crashLogs, crashed("pod", "run-2"))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"starting\n", "time=1 level=ERROR msg=\"no peer\"\n"})
  void logOfTheNextRunIsNotTakenForTheLogOfThisOne(String ofTheNext) {
    var said = new ConcurrentLinkedQueue<>(List.of(ofTheNext, HALT));
    var logsThatLag = logs(run -> Optional.of(said.size() > 1 ? said.poll() : said.peek()));

    logsThatLag.look(NODE, crashed("pod", "run-1"));

    await().until(() -> !isReading(logsThatLag, crashed("pod", "run-1")));
    assertThat(halt(logsThatLag.withWords(NODE, crashed("pod", "run-1")))).isPresent();
  }

  /** The kubelet of a busy machine reports a run seconds after it began. */
  @Test
  void logThatStillGrowsIsThatOfTheNextRun() {
    var said =
        new ConcurrentLinkedQueue<>(
            List.of("starting\n", "starting\nopening\n", "starting\nopening\nreplaying\n", HALT));
    var logsThatLag = logs(run -> Optional.of(said.size() > 1 ? said.poll() : said.peek()));

    logsThatLag.look(NODE, crashed("pod", "run-1"));

    await().until(() -> !isReading(logsThatLag, crashed("pod", "run-1")));
    assertThat(halt(logsThatLag.withWords(NODE, crashed("pod", "run-1")))).isPresent();
  }

  @Test
  void nothingIsConcludedWhileTheFirstLogIsRead() {
    crashLogs.look(NODE, crashed("pod", "run-1"));

    assertThat(isReading(crashLogs, crashed("pod", "run-1"))).isTrue();
    assertThat(crashLogs.withWords(NODE, crashed("pod", "run-1")))
        .isEqualTo(crashed("pod", "run-1"));
  }

  @Test
  void laterRunThatEndsOtherwiseIsNoHalt() {
    logs.put("run-1", HALT);
    crashLogs.look(NODE, crashed("pod", "run-1"));
    awaitHalt(crashed("pod", "run-1"));
    logs.put("run-2", "out of disk\n");

    crashLogs.look(NODE, crashed("pod", "run-2"));

    await()
        .untilAsserted(
            () -> assertThat(halt(crashLogs.withWords(NODE, crashed("pod", "run-2")))).isEmpty());
  }

  @Test
  void anotherPodStartsWithoutAPast() {
    logs.put("run-1", HALT);
    crashLogs.look(NODE, crashed("pod", "run-1"));
    awaitHalt(crashed("pod", "run-1"));

    assertThat(halt(crashLogs.withWords(NODE, crashed("other", "run-2")))).isEmpty();
  }

  @Test
  void crashOfAnotherPodIsNotHeldBack() {
    crashLogs.look(NODE, crashed("pod", "run-1"));

    assertThat(isReading(crashLogs, crashed("other", "run-2"))).isFalse();
  }

  @Test
  void crashesAfterTheFirstAreNotHeldBack() {
    logs.put("run-1", "out of disk\n");
    crashLogs.look(NODE, crashed("pod", "run-1"));
    await().until(() -> !isReading(crashLogs, crashed("pod", "run-1")));

    crashLogs.look(NODE, crashed("pod", "run-2"));

    assertThat(isReading(crashLogs, crashed("pod", "run-2"))).isFalse();
  }

  @Test
  void podThatMovedOnIsAskedAgain() {
    logs.put("run-1", MOVED_ON);
    crashLogs.look(NODE, crashed("pod", "run-1"));

    logs.put("run-1", HALT);

    awaitHalt(crashed("pod", "run-1"));
  }

  @Test
  void nodeWhosePodIsGoneIsNotAskedAbout() {
    logs.put("run-1", MOVED_ON);
    crashLogs.look(NODE, crashed("pod", "run-1"));

    crashLogs.end(NODE);
    logs.put("run-1", HALT);

    assertThat(isReading(crashLogs, crashed("pod", "run-1"))).isFalse();
    assertThat(halt(crashLogs.withWords(NODE, crashed("pod", "run-1")))).isEmpty();
  }

  @Test
  void unreadableLogIsShown() {
    logs.put("run-1", "forbidden");

    crashLogs.look(NODE, crashed("pod", "run-1"));

    await()
        .untilAsserted(
            () ->
                assertThat(
                        crashLogs
                            .withWords(NODE, crashed("pod", "run-1"))
                            .getStatus()
                            .getContainerStatuses()
                            .get(0)
                            .getState()
                            .getTerminated()
                            .getMessage())
                    .isEqualTo("its log cannot be read: no right to read logs"));
    assertThat(isReading(crashLogs, crashed("pod", "run-1"))).isFalse();
  }

  @Test
  void oneFailedReadConcludesNothing() {
    logs.put("run-1", BUSY_ONCE);
    crashLogs.look(NODE, crashed("pod", "run-1"));
    await().until(() -> reads.get() == 2);

    assertThat(isReading(crashLogs, crashed("pod", "run-1"))).isTrue();
  }

  @Test
  void logThatCannotBeReadThreeTimesIsShown() {
    logs.put("run-1", BUSY);

    crashLogs.look(NODE, crashed("pod", "run-1"));

    await().until(() -> !isReading(crashLogs, crashed("pod", "run-1")));
    assertThat(reads.get()).isGreaterThanOrEqualTo(3);
  }

  /** Returns the description of a halt. */
  private static Optional<String> halt(Pod pod) {
    return Diagnosis.of(Evidence.none().withPod(pod), Instant.EPOCH)
        .filter(finding -> finding.reason() == StallReason.HALTED_AT_UPGRADE)
        .map(Finding::seen);
  }

  private void awaitHalt(Pod pod) {
    await()
        .untilAsserted(
            () ->
                assertThat(halt(crashLogs.withWords(NODE, pod)))
                    .contains("seid stopped for upgrade \"v2\" at height 60"));
  }

  /** Waits for a log that is not there. */
  private Optional<String> read(CrashedRun run) {
    String log = logs.get(run.containerId());
    reads.incrementAndGet();
    if (log == null) {
      try {
        forEver.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return Optional.empty();
    }
    if (log.equals(MOVED_ON)) {
      return Optional.empty();
    }
    if (log.equals("forbidden")) {
      throw new KubernetesClientException("no right to read logs", 403, null);
    }
    if (log.equals(BUSY_ONCE)) {
      logs.remove(run.containerId());
      throw new KubernetesClientException("timeout");
    }
    if (log.equals(BUSY)) {
      throw new KubernetesClientException("timeout");
    }
    return Optional.of(log);
  }

  private static Pod crashed(String uid, String run) {
    return aPod("node-0")
        .namespace("chain")
        .uid(uid)
        .status("seid", sample -> sample.ended(End.exit(2, "x".repeat(2048)).ofRun(run)))
        .build();
  }
}
