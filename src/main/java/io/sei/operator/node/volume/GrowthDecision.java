package io.sei.operator.node.volume;

import io.fabric8.kubernetes.api.model.Quantity;
import io.sei.operator.api.v1alpha1.DataVolume.Storage.AutoGrow;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;

/** PURE: what becomes of a volume that has no room left and may grow by itself. */
sealed interface GrowthDecision {

  /** Amazon EBS lets a volume be changed again after six hours. */
  Duration PACE = Duration.ofHours(6);

  /** Its claim asks for this size next. */
  record Grow(Quantity to) implements GrowthDecision {}

  /** The volume has grown recently; the driver allows no other growth for some time. */
  record Later(Duration after) implements GrowthDecision {}

  /** The volume has its maximum size. */
  record AtMaximum() implements GrowthDecision {}

  /** The volume is being expanded. */
  record Growing() implements GrowthDecision {}

  /**
   * Decides. A size that the spec asked for counts for the pace as well, so that a crash loop does
   * not climb to the maximum in minutes.
   */
  static GrowthDecision of(AutoGrow rule, VolumeSize size, Instant now) {
    if (size.isToChange() || !size.isReached()) {
      return new Growing();
    }
    if (VolumeSize.BY_AMOUNT.compare(size.requested(), rule.maxSize()) >= 0) {
      return new AtMaximum();
    }
    Duration left =
        size.resizedAt()
            .filter(at -> !at.isAfter(now))
            .map(at -> Duration.between(now, at.plus(PACE)))
            .orElse(Duration.ZERO);
    return left.isPositive() ? new Later(left) : new Grow(grown(rule, size.requested()));
  }

  /** Whole gibibytes, since storage drivers round up. */
  private static Quantity grown(AutoGrow rule, Quantity from) {
    BigDecimal gibibyte = new Quantity("1Gi").getNumericalAmount();
    BigDecimal amount = from.getNumericalAmount();
    String increase = rule.increaseOrDefault();
    BigDecimal more =
        increase.endsWith("%")
            ? amount
                .multiply(new BigDecimal(increase.substring(0, increase.length() - 1)))
                .movePointLeft(2)
            : new Quantity(increase).getNumericalAmount();
    BigDecimal wanted = amount.add(more).divide(gibibyte, 0, RoundingMode.CEILING);
    var grown = new Quantity(wanted.toPlainString() + "Gi");
    return VolumeSize.BY_AMOUNT.compare(grown, rule.maxSize()) < 0 ? grown : rule.maxSize();
  }
}
