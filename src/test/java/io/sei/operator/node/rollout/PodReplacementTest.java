package io.sei.operator.node.rollout;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.testkit.samples.PodSample;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PodReplacementTest {

  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");

  @Test
  void countsFromTheDeletionToTheStartOfSeidInTheNextPod() {
    PodReplacement leaving = PodReplacement.after(null, terminating("1"), NOW);
    PodReplacement seenAgain = PodReplacement.after(leaving, terminating("1"), NOW.plusSeconds(3));
    PodReplacement starting = PodReplacement.after(seenAgain, pod("2").build(), NOW.plusSeconds(5));
    PodReplacement over = PodReplacement.after(starting, running("2", 8), NOW.plusSeconds(20));

    assertThat(leaving.lastTook()).isEmpty();
    assertThat(starting.lastTook()).isEmpty();
    assertThat(over.lastTook()).contains(Duration.ofSeconds(8));
    assertThat(PodReplacement.after(over, running("2", 8), NOW.plusSeconds(60))).isEqualTo(over);
  }

  @Test
  void lastOneCountsWhileTheNextIsUnderWay() {
    var before = new PodReplacement(null, null, Duration.ofSeconds(8));

    assertThat(PodReplacement.after(before, terminating("2"), NOW).lastTook())
        .contains(Duration.ofSeconds(8));
  }

  @Test
  void podThatWasNeverDeletedIsNotMeasured() {
    assertThat(PodReplacement.after(null, running("1", 8), NOW)).isNull();
  }

  @Test
  void nodeThatWasStoppedInBetweenIsNotMeasured() {
    PodReplacement stopped =
        PodReplacement.interrupted(PodReplacement.after(null, terminating("1"), NOW));

    assertThat(stopped).isNull();
    assertThat(
            Optional.ofNullable(PodReplacement.after(stopped, running("2", 3600), NOW))
                .flatMap(PodReplacement::lastTook))
        .isEmpty();
    assertThat(PodReplacement.interrupted(new PodReplacement("1", NOW, Duration.ofSeconds(8))))
        .isEqualTo(new PodReplacement(null, null, Duration.ofSeconds(8)));
  }

  private static PodSample pod(String uid) {
    return aPod("node-0").uid(uid).container("seid", "sei:a");
  }

  private static Pod terminating(String uid) {
    return pod(uid).terminating(NOW.plusSeconds(30)).build();
  }

  private static Pod running(String uid, int seconds) {
    return pod(uid).status("seid", seid -> seid.running(NOW.plusSeconds(seconds))).build();
  }
}
