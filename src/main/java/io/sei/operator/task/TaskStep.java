package io.sei.operator.task;

import io.sei.operator.api.v1alpha1.NodeTaskReason;
import java.time.Duration;
import java.util.Optional;

/** What comes next for a task. */
sealed interface TaskStep {

  /** Nothing, but for its deletion after this time. */
  record Rest(Optional<Duration> deletedIn) implements TaskStep {}

  /** It is deleted, having been finished for as long as it asked for. */
  record Expire() implements TaskStep {}

  /** Something has to change first, which nothing was submitted for yet. */
  record Wait(NodeTaskReason reason, String message) implements TaskStep {}

  /** It cannot go on, for good. */
  record Fail(NodeTaskReason reason, String message) implements TaskStep {}

  /** It is recorded, and submitted afterwards. */
  record Submit(Target target, TaskRequest.Submit request) implements TaskStep {}

  /** It is recorded, and the spec of the node gets this image afterwards. */
  record SetImage(Target target, String image) implements TaskStep {}

  /** The node runs the image that it was given. */
  record HasImage(String image) implements TaskStep {}

  /** The sidecar is asked what became of it. */
  record Look(Target target, TaskRequest.Submit request) implements TaskStep {}
}
