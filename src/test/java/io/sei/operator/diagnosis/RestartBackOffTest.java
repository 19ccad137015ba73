package io.sei.operator.diagnosis;

import static io.sei.operator.diagnosis.PodSamples.NOW;
import static io.sei.operator.diagnosis.PodSamples.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.testkit.samples.ContainerSample;
import io.sei.operator.testkit.samples.End;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RestartBackOffTest {

  private static final String RUN = "containerd://1";

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "back-off 10s restarting failed container=seid pod=val-0_sei(pod-uid), PT10S",
    "back-off 1m20s restarting failed container=seid pod=val-0_sei(pod-uid), PT1M20S",
    "back-off 5m0s restarting failed container=seid pod=val-0_sei(pod-uid), PT5M",
    "back-off 1h0m0s restarting failed container=seid pod=val-0_sei(pod-uid), PT1H",
  })
  void endsTheNamedTimeAfterTheRun(String message, Duration length) {
    RestartBackOff backOff = RestartBackOff.of(backingOff(message, 0)).orElseThrow();

    assertThat(backOff.endsAt()).contains(NOW.plus(length));
    assertThat(backOff.left(NOW.plusSeconds(4))).isEqualTo(length.minusSeconds(4));
    assertThat(backOff.run()).isEqualTo(RUN);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "back-off restarting failed container=seid pod=val-0_sei(pod-uid)",
    "back-off 0s restarting failed container=seid pod=val-0_sei(pod-uid)",
    "back-off soon restarting failed container=seid",
    "something else",
    "''",
  })
  void endIsUnknownWithoutALength(String message) {
    RestartBackOff backOff = RestartBackOff.of(backingOff(message, 0)).orElseThrow();

    assertThat(backOff.endsAt()).isEmpty();
    assertThat(backOff.left(NOW)).isZero();
  }

  @Test
  void runThatEndedAtRequestIsNoCrash() {
    assertThat(RestartBackOff.of(backingOff(null, 0)).orElseThrow().isAfterCrash()).isFalse();
    assertThat(RestartBackOff.of(backingOff(null, 143)).orElseThrow().isAfterCrash()).isFalse();
    assertThat(RestartBackOff.of(backingOff(null, 2)).orElseThrow().isAfterCrash()).isTrue();
  }

  @Test
  void containerThatRunsOrStartsIsInNone() {
    ContainerSample seid = ContainerSample.named("seid").lastEnd(end(0));

    assertThat(RestartBackOff.of(pod(seid.running().build()))).isEmpty();
    assertThat(RestartBackOff.of(pod(seid.waiting("ContainerCreating").build()))).isEmpty();
    assertThat(RestartBackOff.of(null)).isEmpty();
  }

  private static Pod backingOff(String message, int exitCode) {
    return pod(
        ContainerSample.named("seid")
            .waiting("CrashLoopBackOff", message)
            .lastEnd(end(exitCode))
            .build());
  }

  private static End end(int exitCode) {
    Instant at = NOW;
    return End.exit(exitCode, null).ofRun(RUN).at(at).after(Duration.ofMinutes(1));
  }
}
