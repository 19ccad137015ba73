package io.sei.operator.plan;

/** What a plan takes over of one that it supersedes, where a task has equal params. */
public enum Reuse {
  /** Nothing: the task is done again. */
  NONE,
  /** A task that completed. */
  COMPLETED,
  /** A task that somebody is at; one that completed is done again. */
  RUNNING
}
