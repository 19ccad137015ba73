package io.sei.operator.node.upgrade;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ImagePull;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PullDecisionTest {

  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");
  private static final String HERE = "m1";
  private static final ImagePull OF_V2 = new ImagePull("v2", "sei:v2", HERE, NOW);

  @ParameterizedTest(name = "pulled {0} ago on {1}, expected in {2}: {4}")
  @CsvSource({
    "     , m1,         , pull,   never pulled",
    "PT0S , m1,         , PT24H,  just pulled",
    "PT23H, m1,         , PT1H,   pulled today",
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

    PullDecision decided =
        decide(List.of(upgrade), null, Optional.ofNullable(expectedIn).map(NOW::plus));

    assertThat(decided).as(why).isEqualTo(expected(decision));
  }

  @ParameterizedTest(name = "failed {0} ago: {1}")
  @CsvSource({"PT0S, PT10M", "PT4M, PT6M", "PT10M, pull"})
  void pullThatFailedIsTriedAgainLater(Duration ago, String decision) {
    UpgradeStatus upgrade = listed("v2").notPulled("not found", NOW.minus(ago));

    assertThat(decide(List.of(upgrade), null, Optional.empty())).isEqualTo(expected(decision));
  }

  @Test
  void failureOfOneKeepsNoOtherFromItsTurn() {
    UpgradeStatus failed = listed("v2").notPulled("not found", NOW);

    assertThat(decide(List.of(failed, listed("v3")), null, Optional.empty()))
        .isEqualTo(new PullDecision.Begin(new ImagePull("v3", "sei:v3", HERE, NOW)));
  }

  @Test
  void onlyTheNextUpgradeIsPulledInTheLastHour() {
    UpgradeStatus v2 = listed("v2").pulled("digest", HERE, NOW);
    UpgradeStatus v3 = listed("v3").pulled("digest", HERE, NOW.minus(Duration.ofHours(2)));

    assertThat(decide(List.of(v2, v3), null, Optional.of(NOW.plusSeconds(60))))
        .isEqualTo(new PullDecision.Rest(Optional.of(Duration.ofHours(1))));
  }

  @Test
  void nothingAheadIsNothingToDo() {
    assertThat(decide(List.of(), null, Optional.empty()))
        .isEqualTo(new PullDecision.Rest(Optional.empty()));
  }

  @Test
  void onePullAtATime() {
    assertThat(decide(List.of(listed("v1"), listed("v2")), OF_V2, Optional.empty()))
        .isEqualTo(new PullDecision.Watch(OF_V2));
  }

  @ParameterizedTest(name = "{0} {1} on {2}")
  @CsvSource({"v3, sei:v2, m1", "v2, sei:corrected, m1", "v2, sei:v2, m2", ",,"})
  void pullThatNobodyNeedsAnyMoreIsDropped(String name, String image, String kubernetesNode) {
    var pull = new ImagePull(name, image, kubernetesNode, NOW);

    assertThat(decide(List.of(listed("v2")), pull, Optional.empty()))
        .isEqualTo(new PullDecision.Drop(pull));
  }

  private static PullDecision decide(
      List<UpgradeStatus> ahead, ImagePull inProgress, Optional<Instant> nextAt) {
    return PullDecision.of(ahead, inProgress, HERE, NOW, nextAt);
  }

  private static PullDecision expected(String decision) {
    return decision.equals("pull")
        ? new PullDecision.Begin(OF_V2)
        : new PullDecision.Rest(Optional.of(Duration.parse(decision)));
  }

  private static UpgradeStatus listed(String name) {
    return UpgradeStatus.scheduled(new Upgrade(name, 100L, "sei:" + name, null));
  }
}
