package io.sei.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpecBuilder;
import io.sei.operator.HeldLease.Step;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose the Lease of the whole cluster is, by the age of its last renewal in seconds. */
class ShardedClusterTest {

  private static final Instant NOW = Instant.parse("2026-11-27T03:00:00Z");
  private static final String OURS = "one-of-3-shards";

  @ParameterizedTest(name = "{0} {1} s ago: {2}")
  @CsvSource({
    "one-of-3-shards, 0, KEEP",
    "one-of-3-shards, 1, KEEP",
    "one-of-3-shards, -1, WRITE",
    "one-of-3-shards, -60, WRITE",
    "one-of-3-shards, 5, WRITE",
    "one-of-3-shards, 60, WRITE",
    "one-of-2-shards, 1, WAIT",
    "one-of-2-shards, 14, WAIT",
    "one-of-2-shards, 16, WRITE",
    "sei-operator-abc_1, 1, WAIT",
    "sei-operator-abc_1, 16, WRITE",
    "'', 1, WRITE",
  })
  void leaseIsTakenOnlyFromThoseWhoAreGone(String holder, int age, Step step) {
    var lease =
        new LeaseSpecBuilder()
            .withHolderIdentity(holder)
            .withLeaseDurationSeconds(15)
            .withRenewTime(NOW.minusSeconds(age).atZone(ZoneOffset.UTC))
            .build();

    assertThat(HeldLease.step(lease, OURS, NOW)).isEqualTo(step);
  }

  @Test
  void leaseThatNobodyHasMadeOrRenewedIsFree() {
    assertThat(HeldLease.step(null, OURS, NOW)).isEqualTo(Step.WRITE);
    assertThat(
            HeldLease.step(new LeaseSpecBuilder().withHolderIdentity("other").build(), OURS, NOW))
        .isEqualTo(Step.WRITE);
  }
}
