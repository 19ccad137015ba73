package io.sei.operator.node.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.render.PullJob;
import io.sei.operator.render.PullJobRenderer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PullScheduleTest {

  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");
  private static final String HERE = "m1";

  @ParameterizedTest(name = "pulled {0} ago on {1}, expected in {2}: {4}")
  @CsvSource({
    "     , m1,         , pull,   never pulled",
    "PT0S , m1,         , PT24H,  just pulled",
    "PT23H, m1,         , PT1H,   pulled today",
    "PT-1S, m1,         , pull,   recorded by a clock that was ahead",
    "PT24H, m1,         , pull,   the kubelet may have removed it",
    "PT0S , m2,         , pull,   the pod has moved",
    "PT2H , m1,    PT30M, pull,   the last hour",
    "PT50M, m1,    PT30M, PT10M,  the last hour, pulled within it",
    "PT2H , m1,    PT90M, PT30M,  the last hour begins in half an hour",
    "PT2H , m1,     PT0S, pull,   the chain is late",
    "PT2H , m1,   PT-10H, pull,   the chain is very late",
    "PT2H , m1,   PT100H, PT22H,  days ahead",
  })
  void imageIsPulledWhereThePodIsAndAgainInTime(
      Duration ago, String where, Duration expectedIn, String decision, String why) {
    UpgradeStatus upgrade = listed("v2");
    if (ago != null) {
      upgrade = upgrade.pulled("digest", where, NOW.minus(ago));
    }

    PullSchedule decided = decide(List.of(upgrade), Optional.ofNullable(expectedIn).map(NOW::plus));

    assertThat(decided).as(why).isEqualTo(expected(upgrade, decision));
  }

  @ParameterizedTest(name = "failed {0} ago: {1}")
  @CsvSource({"PT0S, PT10M", "PT4M, PT6M", "PT10M, pull", "PT-1S, pull"})
  void pullThatFailedIsTriedAgainLater(Duration ago, String decision) {
    UpgradeStatus upgrade = listed("v2").notPulled("not found", NOW.minus(ago));

    assertThat(decide(List.of(upgrade), Optional.empty())).isEqualTo(expected(upgrade, decision));
  }

  @Test
  void failureOfOneKeepsNoOtherFromItsTurn() {
    UpgradeStatus failed = listed("v2").notPulled("not found", NOW);
    UpgradeStatus other = listed("v3");

    assertThat(decide(List.of(failed, other), Optional.empty())).isEqualTo(pull(other));
  }

  @Test
  void theOneThatHasBeenDueForLongestIsFirst() {
    UpgradeStatus failed = listed("v2").notPulled("not found", NOW.minus(Duration.ofMinutes(10)));
    UpgradeStatus earlier = listed("v3");

    assertThat(decide(List.of(failed, earlier), Optional.empty())).isEqualTo(pull(earlier));
  }

  @Test
  void ofTwoThatAreNotThereTheNextUpgradeIsFirst() {
    UpgradeStatus next = listed("v2");

    assertThat(decide(List.of(next, listed("v3")), Optional.empty())).isEqualTo(pull(next));
  }

  @Test
  void onlyTheNextUpgradeIsPulledInTheLastHour() {
    UpgradeStatus v2 = listed("v2").pulled("digest", HERE, NOW);
    UpgradeStatus v3 = listed("v3").pulled("digest", HERE, NOW.minus(Duration.ofHours(2)));

    assertThat(decide(List.of(v2, v3), Optional.of(NOW.plusSeconds(60))))
        .isEqualTo(rest(Duration.ofHours(1)));
  }

  @Test
  void nothingAheadIsNothingToDo() {
    assertThat(decide(List.of(), Optional.empty()))
        .isEqualTo(new PullSchedule(Optional.empty(), Optional.empty()));
  }

  @Test
  void outcomeBeginsAnotherSlotAndTheEstimateOfTheHeightDoesNot() {
    UpgradeStatus first = listed("v2");
    UpgradeStatus failed = first.notPulled("not found", NOW);
    UpgradeStatus again = failed.notPulled("not found", NOW.plus(PullSchedule.AFTER_FAILURE));
    UpgradeStatus pulled = first.pulled("digest", HERE, NOW.plusSeconds(1));
    UpgradeStatus daily = first.pulled("digest", HERE, NOW.plus(PullSchedule.DAILY));

    assertThat(Stream.of(first, failed, again, pulled, daily).map(PullScheduleTest::job))
        .doesNotHaveDuplicates();
    assertThat(job(pulled)).isEqualTo(job(pulled.withExpectedAt(NOW)));
  }

  @Test
  void jobEndsBeforeTheShortestPeriodAfterAPull() {
    assertThat(PullJobRenderer.DEADLINE).isLessThan(PullSchedule.LAST_HOUR);
  }

  private static PullJob job(UpgradeStatus upgrade) {
    return PullSchedule.job(upgrade, HERE);
  }

  private static PullSchedule decide(List<UpgradeStatus> ahead, Optional<Instant> nextAt) {
    return PullSchedule.of(ahead, HERE, NOW, nextAt);
  }

  private static PullSchedule expected(UpgradeStatus upgrade, String decision) {
    return decision.equals("pull") ? pull(upgrade) : rest(Duration.parse(decision));
  }

  private static PullSchedule pull(UpgradeStatus upgrade) {
    return new PullSchedule(Optional.of(upgrade), Optional.empty());
  }

  private static PullSchedule rest(Duration until) {
    return new PullSchedule(Optional.empty(), Optional.of(until));
  }

  private static UpgradeStatus listed(String name) {
    return UpgradeStatus.scheduled(new Upgrade(name, 100L, "sei:" + name, null));
  }
}
