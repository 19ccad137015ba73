package io.sei.operator.node.rollout;

import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.UpdatePull;
import io.sei.operator.api.v1alpha1.UpdatePullBuilder;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * PURE: whether the images that a pod is to be given in place are pulled first. The kubelet stops a
 * container before it pulls another image for it, so one that serves is left alone until the image
 * is there. A pod that does not serve has nothing to lose, unless the image is known to be bad.
 */
sealed interface PullFirst {

  /** The pod may be given its images. */
  record No() implements PullFirst {}

  /** An image is to be pulled, which has to be recorded. */
  record Begin(UpdatePull pull) implements PullFirst {}

  /** An image is being pulled. */
  record Follow(UpdatePull pull) implements PullFirst {}

  /** An image could not be pulled, and is pulled again after that. */
  record Failed(UpdatePull pull, Duration left) implements PullFirst {}

  /** An image may be pushed, or a registry come back, at any time. */
  Duration AGAIN = Duration.ofMinutes(2);

  /**
   * What that hangs on.
   *
   * @param plan the active plan
   * @param kubernetesNode where the pod runs
   * @param images that its containers are to be given
   * @param there those that the Kubernetes node is known to have
   * @param serves whether the pod is Ready
   * @param lost whether its Kubernetes node does not report
   * @param last the pull on record; null if there is none
   */
  @RecordBuilder
  record Question(
      TaskPlan plan,
      String kubernetesNode,
      List<String> images,
      Set<String> there,
      boolean serves,
      boolean lost,
      UpdatePull last,
      Instant now)
      implements PullFirstQuestionBuilder.With {

    private Optional<UpdatePull> own() {
      return Optional.ofNullable(last)
          .filter(it -> it.isOf(plan) && Objects.equals(it.kubernetesNode(), kubernetesNode));
    }

    private List<String> missing() {
      List<String> done = own().map(UpdatePull::done).orElse(List.of());
      return images.stream().filter(it -> !there.contains(it) && !done.contains(it)).toList();
    }

    /** The first pull of the plan, or of its next image. */
    private UpdatePull begun(String image) {
      return own()
          .map(it -> it.with(pull -> pull.image(image).error(null)).again(now))
          .orElseGet(
              () ->
                  UpdatePullBuilder.builder()
                      .planID(plan.id())
                      .image(image)
                      .kubernetesNode(kubernetesNode)
                      .startedAt(now)
                      .done(images.stream().filter(there::contains).toList())
                      .build());
    }
  }

  /** Decides. */
  static PullFirst of(Question question) {
    List<String> missing = question.missing();
    if (missing.isEmpty() || question.lost()) {
      return new No();
    }
    Optional<UpdatePull> last = question.own().filter(it -> missing.contains(it.image()));
    boolean isBad = last.map(UpdatePull::error).isPresent();
    if (!question.serves() && !isBad) {
      return new No();
    }
    return last.map(it -> next(it, question.now()))
        .orElseGet(() -> new Begin(question.begun(missing.get(0))));
  }

  private static PullFirst next(UpdatePull last, Instant now) {
    if (last.failedAt() == null) {
      return new Follow(last);
    }
    Duration left = Duration.between(now, last.failedAt().plus(AGAIN));
    return left.isPositive() && left.compareTo(AGAIN) <= 0
        ? new Failed(last, left)
        : new Begin(last.again(now));
  }

  /**
   * What is recorded together with the plan, so that the pull begins at once, and what is known now
   * is known later; empty if nothing is waited for.
   */
  static Optional<UpdatePull> foreseen(Question question) {
    return question.serves() && !question.images().isEmpty()
        ? Optional.of(
            question.begun(
                question.missing().stream().findFirst().orElse(question.images().get(0))))
        : Optional.empty();
  }
}
