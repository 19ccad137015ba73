package io.sei.operator.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgressTest {

  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");
  private static final Instant BEFORE = NOW.minusSeconds(60);

  @ParameterizedTest
  @CsvSource({
    "CrashLoop, -60, ImagePull, -60",
    "CrashLoop, -60, , 0",
    ", -60, , -60",
    ", -60, CrashLoop, 0",
    ", 60, , 0",
    ", , , 0"
  })
  void theMomentStaysWhileTheDecisionDoes(
      String before, Long since, String stalledOn, long expected) {
    var known = new Progress(before, since == null ? null : NOW.plusSeconds(since), true);
    Optional<Reason> on = Optional.ofNullable(stalledOn).map(Reason.Stored::new);

    assertThat(Progress.after(known, on, false, NOW))
        .isEqualTo(new Progress(stalledOn, NOW.plusSeconds(expected), null));
    assertThat(Progress.after(null, on, true, NOW)).isEqualTo(new Progress(stalledOn, NOW, true));
  }
}
