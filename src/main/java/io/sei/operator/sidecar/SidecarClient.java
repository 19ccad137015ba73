package io.sei.operator.sidecar;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The HTTP API of sei-sidecar, version 0. Every call ends within the configured timeout, or twice
 * that if a token had to be renewed, and throws {@link SidecarException} unless it says otherwise.
 */
public interface SidecarClient {

  /** The task of this id, or empty if the sidecar does not know it. */
  Optional<SidecarTask> lookup(SidecarAddress sidecar, String taskId);

  /**
   * Starts a task; returns once the sidecar has accepted it.
   *
   * @param taskId a UUID; submitting one whose task runs or has completed changes nothing
   * @param params what the type takes, or null for nothing
   */
  void submit(SidecarAddress sidecar, String taskId, String type, JsonNode params);

  /**
   * Statuses of the tasks of a type, of all clients: the last 100 that were ever submitted on the
   * volume are known.
   */
  Set<SidecarTask.Status> statuses(SidecarAddress sidecar, String type);

  /**
   * Asks the sidecar to stop and forget a task.
   *
   * @return true if it is gone, which includes that it was never there; false if the sidecar has
   *     only taken note
   */
  boolean cancel(SidecarAddress sidecar, String taskId);

  /** A task type that is known since {@link #cancel} ends the work. */
  String KNOWN_SINCE_CANCEL = "snapshot-upload-once";

  /**
   * Returns whether {@link #cancel} ends the work, as it does from v0.0.66 on; earlier versions
   * complete it. No sidecar reports its version: it is recognised by {@link #KNOWN_SINCE_CANCEL}.
   */
  default boolean cancelsTasks(SidecarAddress sidecar) {
    return knows(sidecar, KNOWN_SINCE_CANCEL);
  }

  /** Returns whether the sidecar knows a task type; nothing is run to find out. */
  boolean knows(SidecarAddress sidecar, String type);

  /** Returns whether the sidecar lets the node start. Never throws. */
  SidecarHealth health(SidecarAddress sidecar);

  /** Asks for the health without a thread that waits. The future never completes exceptionally. */
  CompletableFuture<SidecarHealth> healthAsync(SidecarAddress sidecar);

  /**
   * The identity by which the node's peers know it, or empty if the sidecar does not say. The
   * future never completes exceptionally.
   */
  CompletableFuture<Optional<String>> nodeIdAsync(SidecarAddress sidecar);
}
