package io.sei.operator.sidecar;

import java.util.Map;

/**
 * A task as its sidecar reports it.
 *
 * @param id the id it was submitted with
 * @param type the task type
 * @param status where it stands
 * @param run how often it has been run, from 1; 0 if the sidecar does not say
 * @param error why it failed, at most 512 printable characters; empty if it did not
 * @param result what it says of its work, by name: words and numbers alone, each at most 512
 *     printable characters; empty for most types
 */
public record SidecarTask(
    String id, String type, Status status, int run, String error, Map<String, String> result) {

  /** Copies the result, which nothing changes afterwards. */
  public SidecarTask {
    result = Map.copyOf(result);
  }

  /** State of a task. */
  public enum Status {
    /** A word that this operator does not know counts as running too: waiting does no harm. */
    RUNNING,
    COMPLETED,
    FAILED
  }
}
