package io.sei.operator.node.upgrade;

import io.sei.operator.api.v1alpha1.ImagePull;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * PURE: what is to be done about the images of the upgrades ahead. An image is pulled on the
 * Kubernetes node of the node's pod, one at a time, and pulled again now and then: the kubelet
 * removes images that nothing uses, and a tag may be moved.
 */
sealed interface PullDecision {

  /** Nothing, until then; forever if nothing is ahead. */
  record Rest(Optional<Duration> until) implements PullDecision {}

  /** A pull is due. */
  record Begin(ImagePull pull) implements PullDecision {}

  /** A pull is in progress. */
  record Watch(ImagePull pull) implements PullDecision {}

  /** A pull is in progress that nobody needs any more. */
  record Drop(ImagePull pull) implements PullDecision {}

  /** How long an image counts as being there. */
  Duration DAILY = Duration.ofHours(24);

  /** The same in the last hour before the upgrade, and how long that is. */
  Duration LAST_HOUR = Duration.ofHours(1);

  /** An image may be pushed, or a registry come back, at any time. */
  Duration AFTER_FAILURE = Duration.ofMinutes(10);

  /**
   * Decides.
   *
   * @param ahead the upgrades ahead with their pulls so far, the next one first
   * @param inProgress the pull on record; null if there is none
   * @param kubernetesNode where the node's pod runs
   * @param nextAt when the chain is expected to reach the first of them, if that is known
   */
  static PullDecision of(
      List<UpgradeStatus> ahead,
      ImagePull inProgress,
      String kubernetesNode,
      Instant now,
      Optional<Instant> nextAt) {
    if (inProgress != null) {
      boolean isNeeded =
          kubernetesNode.equals(inProgress.kubernetesNode())
              && ahead.stream().anyMatch(it -> isOf(inProgress, it));
      return isNeeded ? new Watch(inProgress) : new Drop(inProgress);
    }
    Optional<Duration> rest = Optional.empty();
    for (int i = 0; i < ahead.size(); i++) {
      UpgradeStatus upgrade = ahead.get(i);
      Instant due = due(upgrade, kubernetesNode, i == 0 ? nextAt : Optional.empty());
      if (!due.isAfter(now)) {
        return new Begin(new ImagePull(upgrade.name(), upgrade.image(), kubernetesNode, now));
      }
      Duration left = Duration.between(now, due);
      rest = rest.filter(it -> it.compareTo(left) < 0).or(() -> Optional.of(left));
    }
    return new Rest(rest);
  }

  /** Whether a pull is of the image of this upgrade. */
  static boolean isOf(ImagePull pull, UpgradeStatus upgrade) {
    return upgrade.name().equals(pull.upgrade()) && upgrade.image().equals(pull.image());
  }

  private static Instant due(
      UpgradeStatus upgrade, String kubernetesNode, Optional<Instant> nextAt) {
    if (upgrade.pullError() != null && upgrade.pullFailedAt() != null) {
      return upgrade.pullFailedAt().plus(AFTER_FAILURE);
    }
    boolean isThere = upgrade.imageID() != null && kubernetesNode.equals(upgrade.pulledOn());
    if (!isThere || upgrade.pulledAt() == null) {
      return Instant.EPOCH;
    }
    Instant daily = upgrade.pulledAt().plus(DAILY);
    Instant anHourLater = upgrade.pulledAt().plus(LAST_HOUR);
    return nextAt
        .map(at -> at.minus(LAST_HOUR))
        .map(lastHour -> lastHour.isAfter(anHourLater) ? lastHour : anHourLater)
        .filter(daily::isAfter)
        .orElse(daily);
  }
}
