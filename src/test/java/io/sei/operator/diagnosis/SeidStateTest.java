package io.sei.operator.diagnosis;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.sei.operator.api.v1alpha1.PodUpdateBuilder;
import io.sei.operator.api.v1alpha1.PodUpdateUpdatedContainerBuilder;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.testkit.samples.ContainerSample;
import io.sei.operator.testkit.samples.End;
import io.sei.operator.testkit.samples.PodSample;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** State of seid as the kubelet reports it to a fleet. */
class SeidStateTest {

  private static final Instant NOW = Instant.parse("2026-06-01T12:00:00Z");
  private static final String RUN = "containerd://1";

  static Stream<Arguments> states() {
    return Stream.of(
        arguments("nothing is said yet", new PodBuilder().build(), false),
        arguments("it has yet to start", pod(seid().waiting("ContainerCreating")), false),
        arguments("it runs", pod(running()), false),
        arguments("it runs again after one crash", pod(lastEnd(running(), 1, "boom")), false),
        arguments("it has ended", pod(ended(1, "boom")), true),
        arguments("it waits after a crash", pod(seid().waiting("CrashLoopBackOff")), true),
        arguments("its image cannot be pulled", pod(seid().waiting("ImagePullBackOff")), true),
        arguments(
            "it runs up to a halt once more",
            pod(lastEnd(running(), 2, "panic: UPGRADE \"v2\" NEEDED at height: 12: {}")),
            true),
        arguments(
            "it is in a crash loop, and up at the moment",
            pod(lastEnd(running(), 1, "boom").restarts(3)),
            true));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("states")
  void knowsWhetherSeidIsDown(String what, Pod pod, boolean down) {
    assertThat(SeidState.of(pod).isDown(NOW)).isEqualTo(down);
  }

  static Stream<Arguments> starts() {
    return Stream.of(
        arguments("nothing is said yet", new PodBuilder().build(), false, false),
        arguments("it has yet to start", pod(seid().waiting("PodInitializing")), false, false),
        arguments("it starts", pod(running().started(false)), true, false),
        arguments("it listens", pod(running().started(true)), false, true),
        arguments("an old kubelet says nothing", pod(running()), false, false),
        arguments("it crashed", pod(ended(1, "boom").started(false)), false, false),
        arguments(
            "the kubelet starts it again",
            pod(lastEnd(running(), 1, "boom").started(false).restarts(1)),
            false,
            false),
        arguments(
            "its machine was restarted", pod(running().started(false).restarts(1)), false, false));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("starts")
  void knowsItsFirstStart(String what, Pod pod, boolean starts, boolean hasStarted) {
    assertThat(SeidState.of(pod).isFirstStart()).isEqualTo(starts);
    assertThat(SeidState.of(pod).hasStarted()).isEqualTo(hasStarted);
  }

  static Stream<Arguments> served() {
    Instant began = NOW.minusSeconds(60);
    return Stream.of(
        arguments("it is Ready", condition("True", NOW), true),
        arguments("it was Ready until now", condition("False", NOW), true),
        arguments("the run before was", condition("False", began.minusSeconds(1)), false),
        arguments("that was reported late", condition("False", began.plusSeconds(2)), false),
        arguments("the kubelet gives no time", condition("False", null), false),
        arguments("the kubelet says nothing", aPod("node-0"), false));
  }

  private static PodSample condition(String status, Instant since) {
    return aPod("node-0").condition("Ready", status, since);
  }

  /** A kubelet may say of a run that it has started because the one before had. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("served")
  void knowsWhetherTheRunHasServed(String what, PodSample pod, boolean served) {
    ContainerSample runs = seid().run("run").running(NOW.minusSeconds(60)).started(true);
    ContainerSample waits = seid().waiting("CrashLoopBackOff");

    assertThat(SeidState.of(pod.statuses(runs.build()).build()).hasServed()).isEqualTo(served);
    assertThat(SeidState.of(pod.statuses(waits.build()).build()).hasServed()).isFalse();
  }

  @Test
  void countsTheFirstRunOfAnotherImageInTheSamePod() {
    Pod pod = pod(lastEnd(running(), 2, "boom").imageId("b").started(false).restarts(5));
    var update =
        PodUpdateBuilder.builder()
            .containers(
                List.of(
                    PodUpdateUpdatedContainerBuilder.builder()
                        .name("seid")
                        .containerID(RUN)
                        .imageID("a")
                        .firstRestartCount(5)
                        .build()))
            .build();

    assertThat(SeidState.of(pod).isFirstStart()).isFalse();
    assertThat(SeidState.of(ObservedPod.update(pod, update)).isFirstStart()).isTrue();
  }

  static Stream<Arguments> ends() {
    return Stream.of(
        arguments(
            "with a panic",
            2,
            "x\npanic: boom\ngoroutine 1",
            StallReason.CRASH_LOOP,
            "exit code 2: panic: boom"),
        arguments(
            "with a panic in the table",
            2,
            "panic: wrong Block.Header.AppHash\n\ngoroutine 1 [running]:",
            StallReason.APP_HASH_MISMATCH,
            "exit code 2: panic: wrong Block.Header.AppHash"),
        arguments("with a line", 1, "no route", StallReason.CRASH_LOOP, "exit code 1: no route"),
        arguments("without a word", 137, null, StallReason.CRASH_LOOP, "exit code 137"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("ends")
  void quotesHowARunCrashed(
      String what, int code, String message, StallReason reason, String words) {
    var crash = new SeidState.Crash(reason, "seid crashed after it was Ready: " + words);

    assertThat(SeidState.of(pod(ended(code, message))).crash(RUN)).contains(crash);
    assertThat(SeidState.of(pod(lastEnd(running(), code, message))).crash(RUN)).contains(crash);
  }

  @Test
  void neitherAHaltNorAnEndThatWasAskedForIsACrash() {
    assertThat(SeidState.of(pod(ended(0, "bye"))).crash(RUN)).isEmpty();
    assertThat(SeidState.of(pod(ended(143, "halting node per configuration"))).crash(RUN))
        .isEmpty();
    assertThat(
            SeidState.of(pod(ended(130, "6:02AM INF halting node per configuration height=40")))
                .crash(RUN))
        .isEmpty();
    assertThat(
            SeidState.of(pod(ended(2, "panic: UPGRADE \"v2\" NEEDED at height: 12: {}")))
                .crash(RUN))
        .isEmpty();
  }

  @Test
  void runNotRecordedAsReadyDidNotCrashAfterReady() {
    assertThat(SeidState.of(pod(ended(1, "boom"))).crash("containerd://0")).isEmpty();
  }

  static Stream<Arguments> endsOfAConfiguration() {
    return Stream.of(
        arguments("a setting", 2, "panic: Config validation failed, SeiDB SS store", true),
        arguments("a panic that is not in the table", 2, "panic: boom", true),
        arguments("halt-height", 143, "level=INFO msg=\"halting node per configuration\"", true),
        arguments("asked for", 0, "bye", false),
        arguments("data", 2, "panic: wrong Block.Header.AppHash", false),
        arguments("an upgrade", 2, "panic: UPGRADE \"v2\" NEEDED at height: 12: {}", false),
        arguments("not known before its log is read", 2, null, false),
        arguments("not known before the rest of its log is read", 2, "x\n".repeat(100), false));
  }

  @ParameterizedTest(name = "{0}: {3}")
  @MethodSource("endsOfAConfiguration")
  void knowsWhatAnotherConfigurationMayHeal(
      String what, int code, String message, boolean mayHeal) {
    assertThat(SeidState.of(pod(ended(code, message))).endedByConfiguration())
        .isEqualTo(Optional.of(RUN).filter(run -> mayHeal));
    assertThat(SeidState.of(pod(lastEnd(running(), code, message))).endedByConfiguration())
        .as("it runs again")
        .isEmpty();
  }

  private static Pod pod(ContainerSample seid) {
    return aPod("node-0").statuses(seid.build()).build();
  }

  private static ContainerSample seid() {
    return ContainerSample.named("seid");
  }

  private static ContainerSample running() {
    return seid().run("containerd://2").running(NOW.minusSeconds(1));
  }

  private static ContainerSample ended(int code, String message) {
    return seid().ended(end(code, message));
  }

  private static ContainerSample lastEnd(ContainerSample status, int code, String message) {
    return status.restarts(1).lastEnd(end(code, message));
  }

  private static End end(int code, String message) {
    return End.exit(code, message).ofRun(RUN).at(NOW.minusSeconds(2)).after(Duration.ofSeconds(7));
  }
}
