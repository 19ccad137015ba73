package io.sei.operator.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checks how the beginning of a state is recorded, and what is adopted from the Go operator. */
class SeededStatusTest {

  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");

  /** State of a node that holds or does not hold. */
  private enum Fact {
    READY(
        SeiNodeStatus::readySince,
        SeiNodeStatus::unreadySince,
        SeiNodeStatus::withReadySince,
        SeiNodeStatus::withUnreadySince),
    PAUSED(
        SeiNodeStatus::pausedSince,
        SeiNodeStatus::unpausedSince,
        SeiNodeStatus::withPausedSince,
        SeiNodeStatus::withUnpausedSince);

    private final Function<SeiNodeStatus, Instant> since;
    private final Function<SeiNodeStatus, Instant> notSince;
    private final BiFunction<SeiNodeStatus, Instant, SeiNodeStatus> withSince;
    private final BiFunction<SeiNodeStatus, Instant, SeiNodeStatus> withNotSince;

    Fact(
        Function<SeiNodeStatus, Instant> since,
        Function<SeiNodeStatus, Instant> notSince,
        BiFunction<SeiNodeStatus, Instant, SeiNodeStatus> withSince,
        BiFunction<SeiNodeStatus, Instant, SeiNodeStatus> withNotSince) {
      this.since = since;
      this.notSince = notSince;
      this.withSince = withSince;
      this.withNotSince = withNotSince;
    }

    SeiNodeStatus found(SeiNodeStatus status, boolean holds) {
      return switch (this) {
        case READY -> status.withReadiness(holds, NOW);
        case PAUSED -> status.withPaused(holds, NOW);
      };
    }
  }

  @Test
  void endOfAnUpdateByTheGoOperatorIsTakenOverOnce() {
    var type = NodeConditionType.NODE_UPDATE_IN_PROGRESS;
    SeiNodeStatus complete = saying(type, ConditionStatus.FALSE, "UpdateComplete");
    SeiNodeStatus failed = saying(type, ConditionStatus.FALSE, "UpdateFailed");

    assertThat(complete.seeded().updatedAt()).isEqualTo(NOW.minusSeconds(60));
    assertThat(complete.withUpdatedAt(NOW).seeded().updatedAt()).isEqualTo(NOW);
    assertThat(failed.seeded()).isEqualTo(failed);
    assertThat(SeiNodeStatus.empty().seeded()).isEqualTo(SeiNodeStatus.empty());
    assertThat(complete.seeded().withUpdated(true, NOW).updatedAt())
        .isEqualTo(NOW.minusSeconds(60));
    assertThat(complete.seeded().withUpdated(false, NOW).updatedAt()).isNull();
  }

  @Test
  void pauseByTheGoOperatorIsTakenOverOnce() {
    for (ConditionStatus said : ConditionStatus.values()) {
      boolean paused = said == ConditionStatus.TRUE;
      SeiNodeDeploymentStatus stored =
          SeiNodeDeploymentStatus.empty()
              .withConditions(List.of(new Condition("Paused", said, 1L, NOW, "Any", "")));

      assertThat(stored.seeded().rolloutsPaused()).isEqualTo(paused);
      assertThat(stored.withRolloutsPaused(!paused).seeded().rolloutsPaused()).isEqualTo(!paused);
    }
    assertThat(SeiNodeDeploymentStatus.empty().seeded().rolloutsPaused()).isNull();
  }

  private static SeiNodeStatus saying(NodeConditionType type, ConditionStatus said, String why) {
    return SeiNodeStatus.empty()
        .withConditions(
            List.of(new Condition(type.toString(), said, 1L, NOW.minusSeconds(60), why, "")));
  }

  @ParameterizedTest
  @CsvSource({
    ", , true, 0",
    "-60, , true, -60",
    "60, , true, 0",
    ", -60, true, 0",
    ", -60, false, -60",
    ", 60, false, 0",
    "-60, , false, 0"
  })
  void theMomentStaysUnlessItIsNewOrYetToCome(
      Long since, Long notSince, boolean holds, long expected) {
    for (Fact fact : Fact.values()) {
      SeiNodeStatus before =
          fact.withNotSince.apply(
              fact.withSince.apply(SeiNodeStatus.empty(), at(since)), at(notSince));

      SeiNodeStatus after = fact.found(before, holds);

      assertThat(fact.since.apply(after)).isEqualTo(holds ? at(expected) : null);
      assertThat(fact.notSince.apply(after)).isEqualTo(holds ? null : at(expected));
    }
  }

  private static Instant at(Long seconds) {
    return seconds == null ? null : NOW.plusSeconds(seconds);
  }
}
