package io.sei.operator.sidecar;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Objects;

/**
 * A task to submit.
 *
 * @param id a UUID; submitting the id of a task that runs or has completed changes nothing
 * @param type the task type
 * @param params what the type takes, or null for nothing
 */
public record SidecarTaskRequest(String id, String type, JsonNode params) {
  /** Only the parameters may be left out. */
  public SidecarTaskRequest {
    Objects.requireNonNull(id, "id");
    Objects.requireNonNull(type, "type");
  }
}
