package io.sei.operator.node.model;

import java.time.Duration;

/** How far an object of a node got. */
public sealed interface SyncResult {

  /** It is the node's own and, if that was asked for, as rendered. */
  record Ready() implements SyncResult {}

  /** What is recorded has changed and must be persisted before anything else happens. */
  record Persist() implements SyncResult {}

  /**
   * It cannot be worked on for now.
   *
   * @param recheck when to look again if no event comes first
   */
  record Blocked(String reason, String message, Duration recheck) implements SyncResult {}
}
