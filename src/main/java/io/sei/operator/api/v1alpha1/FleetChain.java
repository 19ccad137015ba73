package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;

/** The chain of a fleet, by the last answer of one of its namespace's nodes. */
@RecordBuilder
public record FleetChain(
    @JsonPropertyDescription("Height of the newest block that a node reported.") Long height,
    @JsonPropertyDescription(
            "Time of that block. Heights since then follow from blocksPerSecond; a time long ago"
                + " means that no node has answered since, or that the chain stands still.")
        Instant at,
    @JsonPropertyDescription(
            "Rate of blocks in the last hour, as a decimal number such as 2.5; unset until it is"
                + " known.")
        String blocksPerSecond,
    @JsonPropertyDescription(
            "The upgrade that the chain has planned, or else the first that the template lists"
                + " above height; unset without one.")
        NextUpgrade nextUpgrade)
    implements FleetChainBuilder.With {

  /**
   * Interval at which the status follows the chain without another cause, once an upgrade is near.
   */
  public static final Duration INTERVAL = Duration.ofMinutes(5);

  private static final Duration NEAR = Duration.ofDays(1);

  /** An upgrade ahead. */
  public record NextUpgrade(String name, Long height) {}

  /** Returns whether the next upgrade is less than a day away, by the height at this moment. */
  public boolean isUpgradeNear(Instant now) {
    if (nextUpgrade == null || blocksPerSecond == null || nextUpgrade.height() <= height) {
      return false;
    }
    BigDecimal blocks = BigDecimal.valueOf(nextUpgrade.height() - height);
    BigDecimal perSecond = new BigDecimal(blocksPerSecond);
    long seconds = NEAR.plus(Duration.between(at, now)).toSeconds();
    return blocks.compareTo(perSecond.multiply(BigDecimal.valueOf(seconds))) < 0;
  }
}
