package io.sei.operator.task;

import io.sei.operator.api.v1alpha1.NodeTaskReason;
import java.time.Duration;
import java.util.Optional;

/** The next step of a task. */
sealed interface TaskStep {

  /** Does nothing, and deletes the task after this time. */
  record Rest(Optional<Duration> deletedIn) implements TaskStep {}

  /** Deletes the task, which was finished for its TTL. */
  record Expire() implements TaskStep {}

  /** Waits for a change of the node. */
  record Wait(NodeTaskReason reason, String message) implements TaskStep {

    Wait(String message) {
      this(NodeTaskReason.PHASE_NOT_MET, message);
    }
  }

  /** Ends the task, which failed. */
  record Fail(NodeTaskReason reason, String message) implements TaskStep {

    Fail(NodeTaskOutcome.Ended ended) {
      this(ended.reason(), ended.message());
    }
  }

  /** Records the task, and then submits it to the sidecar. */
  record Submit(Target target, TaskRequest.Submit request) implements TaskStep {}

  /** Records the task, and then changes the node. */
  record Give(Target target, NodeWork work) implements TaskStep {}

  /** Ends the task, which its node has carried out. */
  record Done(NodeTaskOutcome.Ended ended) implements TaskStep {}

  /** Reads the task from the sidecar and cancels it if it is still running. */
  record Cancel(Target target, TaskRequest.Submit request, String why) implements TaskStep {}

  /** Reads the task from the sidecar. */
  record Look(Target target, TaskRequest.Submit request) implements TaskStep {}
}
