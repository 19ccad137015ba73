package io.sei.operator.testkit;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;

/**
 * A sidecar task as {@code GET /v0/tasks/{id}} shows it.
 *
 * @param id the UUID the client chose
 * @param type the task type
 * @param status {@code running}, {@code completed} or {@code failed}
 * @param run how many times it was submitted to be executed
 * @param params the parameters as submitted, null when there were none
 * @param error the reason of a failure, else null
 * @param submittedAt RFC 3339 time of the submission that is executed
 * @param completedAt RFC 3339 time of the end of the last run, null while running
 * @param result what the task shows of its work, null for most types; see {@link SidecarResult}
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
    String completedAt,
    JsonNode result) {

  static final String RUNNING = "running";
  static final String COMPLETED = "completed";
  static final String FAILED = "failed";

  static SidecarTask submitted(String id, String type, int run, JsonNode params, String at) {
    return new SidecarTask(id, type, RUNNING, run, params, null, at, null, null);
  }

  boolean isRunning() {
    return RUNNING.equals(status);
  }

  SidecarTask complete(String at, JsonNode shown) {
    return new SidecarTask(id, type, COMPLETED, run, params, null, submittedAt, at, shown);
  }

  SidecarTask fail(String error, String at) {
    return fail(error, at, null);
  }

  SidecarTask fail(String error, String at, JsonNode shown) {
    return new SidecarTask(id, type, FAILED, run, params, error, submittedAt, at, shown);
  }
}
