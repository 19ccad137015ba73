package io.sei.operator.node.upgrade;

import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.render.PullJob;
import io.sei.operator.render.PulledImage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * PURE: schedule of the pulls of the images of upgrades ahead, one at a time. An image is pulled
 * again now and then: the kubelet removes images that nothing uses, and a tag may be moved.
 *
 * @param due the upgrade whose image is pulled now
 * @param rest time until the next pull is due, where none is
 */
record PullSchedule(Optional<UpgradeStatus> due, Optional<Duration> rest) {

  /** Period after which an image that was pulled is pulled again. */
  static final Duration DAILY = Duration.ofHours(24);

  /** Last part of the time before an upgrade; in it an image counts as being there for as long. */
  static final Duration LAST_HOUR = Duration.ofHours(1);

  /** An image may be pushed, or a registry come back, at any time. */
  static final Duration AFTER_FAILURE = Duration.ofMinutes(10);

  /**
   * Decides. Of several pulls that are due, the one that has been due for longest is made. A time
   * that a clock recorded which was ahead counts as none.
   *
   * @param ahead the upgrades ahead with the outcomes of their pulls, the next one first
   * @param kubernetesNode where the node's pod runs
   * @param nextAt when the chain is expected to reach the first of them, if that is known
   */
  static PullSchedule of(
      List<UpgradeStatus> ahead, String kubernetesNode, Instant now, Optional<Instant> nextAt) {
    UpgradeStatus next = null;
    Instant earliest = Instant.MAX;
    for (UpgradeStatus upgrade : ahead) {
      Instant due = due(upgrade, kubernetesNode, now, next == null ? nextAt : Optional.empty());
      if (due.isBefore(earliest)) {
        next = upgrade;
        earliest = due;
      }
    }
    if (next == null) {
      return new PullSchedule(Optional.empty(), Optional.empty());
    }
    return earliest.isAfter(now)
        ? new PullSchedule(Optional.empty(), Optional.of(Duration.between(now, earliest)))
        : new PullSchedule(Optional.of(next), Optional.empty());
  }

  private static Instant due(
      UpgradeStatus upgrade, String kubernetesNode, Instant now, Optional<Instant> nextAt) {
    if (upgrade.pullError() != null && isPast(upgrade.pullFailedAt(), now)) {
      return upgrade.pullFailedAt().plus(AFTER_FAILURE);
    }
    boolean isThere = upgrade.imageID() != null && kubernetesNode.equals(upgrade.pulledOn());
    if (!isThere || !isPast(upgrade.pulledAt(), now)) {
      return Instant.EPOCH;
    }
    Instant daily = upgrade.pulledAt().plus(DAILY);
    if (nextAt.isEmpty()) {
      return daily;
    }
    Instant lastHour = nextAt.get().minus(LAST_HOUR);
    Instant anHourLater = upgrade.pulledAt().plus(LAST_HOUR);
    Instant again = lastHour.isAfter(anHourLater) ? lastHour : anHourLater;
    return again.isBefore(daily) ? again : daily;
  }

  private static boolean isPast(Instant recorded, Instant now) {
    return recorded != null && !recorded.isAfter(now);
  }

  /**
   * The Job of the pull that is due. Its slot begins with the last outcome: the time at which the
   * pull is due moves with the estimate of the height.
   */
  static PullJob job(UpgradeStatus due, String kubernetesNode) {
    Instant last = due.pullFailedAt() == null ? due.pulledAt() : due.pullFailedAt();
    return new PullJob(
        "upgrade %s after %s".formatted(due.name(), last),
        kubernetesNode,
        List.of(PulledImage.ofUpgrade(due.image())));
  }
}
