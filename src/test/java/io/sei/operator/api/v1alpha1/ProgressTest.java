package io.sei.operator.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProgressTest {

  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");
  private static final Instant BEFORE = NOW.minusSeconds(60);

  @ParameterizedTest
  @CsvSource({
    "True, CrashLoop, CrashLoop, ",
    "False, Recovering, , true",
    "False, NotStalled, , ",
    "Unknown, Odd, , "
  })
  void whatAnEarlierVersionStoredIsTakenOverOnce(
      String said, String why, String stalledOn, Boolean recovering) {
    var taken = new Progress(stalledOn, BEFORE, recovering);
    List<Condition> conditions =
        List.of(new Condition("Stalled", status(said), 1L, BEFORE, why, ""));
    SeiNodeStatus node = SeiNodeStatus.empty().withConditions(conditions);
    SeiNodeDeploymentStatus fleet = SeiNodeDeploymentStatus.empty().withConditions(conditions);

    assertThat(node.seeded().progress()).isEqualTo(taken);
    assertThat(fleet.seeded().progress()).isEqualTo(taken);
    var decided = new Progress("ImagePull", NOW, null);
    assertThat(node.withProgress(decided).seeded().progress()).isEqualTo(decided);
    assertThat(fleet.withProgress(decided).seeded().progress()).isEqualTo(decided);
  }

  private static ConditionStatus status(String said) {
    return ConditionStatus.valueOf(said.toUpperCase());
  }

  @Test
  void nothingIsTakenFromNothing() {
    assertThat(SeiNodeStatus.empty().seeded()).isEqualTo(SeiNodeStatus.empty());
    assertThat(SeiNodeDeploymentStatus.empty().seeded()).isEqualTo(SeiNodeDeploymentStatus.empty());
  }

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
