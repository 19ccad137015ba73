package io.sei.operator.testkit;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * A sidecar task as {@code GET /v0/tasks/{id}} shows it.
 *
 * @param id the UUID the client chose
 * @param type the task type
 * @param status {@code running}, {@code completed} or {@code failed}
 * @param run how many times it was executed
 * @param params the parameters as submitted, null when there were none
 * @param error the reason of a failure, else null
 * @param submittedAt RFC 3339 time of the first submission
 * @param completedAt RFC 3339 time of the end of the last run, null while running
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SidecarTask(
    String id,
    String type,
    String status,
    int run,
    JsonNode params,
    String error,
    String submittedAt,
    String completedAt) {

  static final String RUNNING = "running";
  static final String COMPLETED = "completed";
  static final String FAILED = "failed";

  boolean isRunning() {
    return RUNNING.equals(status);
  }

  SidecarTask rerun() {
    return new SidecarTask(id, type, RUNNING, run + 1, params, null, submittedAt, null);
  }

  SidecarTask complete(String at) {
    return new SidecarTask(id, type, COMPLETED, run, params, null, submittedAt, at);
  }

  SidecarTask fail(String error, String at) {
    return new SidecarTask(id, type, FAILED, run, params, error, submittedAt, at);
  }
}
