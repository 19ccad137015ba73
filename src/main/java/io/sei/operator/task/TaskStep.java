package io.sei.operator.task;

import io.sei.operator.api.v1alpha1.NodeTaskOutputs;
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

  /** It is recorded, and the node is given this afterwards. */
  record Give(Target target, NodeWork work) implements TaskStep {}

  /** The node has come to what it was given; null for a kind without outputs. */
  record Done(String message, NodeTaskOutputs outputs) implements TaskStep {}

  /** Reads the task from the sidecar and cancels it if it is still running. */
  record Cancel(Target target, TaskRequest.Submit request, String why) implements TaskStep {}

  /** The sidecar is asked what became of it. */
  record Look(Target target, TaskRequest.Submit request) implements TaskStep {}
}
