package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.generator.annotation.Required;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;

/**
 * One step of a plan.
 *
 * @param id UUIDv5 of plan id, type and index: the same step always has the same id
 */
@RecordBuilder
public record PlannedTask(
    @Required String type,
    @Required String id,
    @Required TaskStatus status,
    JsonNode params,
    @JsonPropertyDescription(
            "Time at which the task was first tried; progressDeadlineSeconds counts from here.")
        Instant startedAt,
    @JsonPropertyDescription("Time at which the sidecar accepted the task.") Instant submittedAt,
    @JsonPropertyDescription("Time before which a failed task is not tried again.") Instant retryAt,
    @JsonPropertyDescription("Reason for which the task waits, in one word.") String reason,
    @JsonPropertyDescription("Reason for which the task waits, for a person.") String message,
    @JsonPropertyDescription("The last failure.") String error,
    Integer maxRetries,
    Integer retryCount)
    implements PlannedTaskBuilder.With {

  /**
   * A step that another program stored may lack what the schema requires: its type is then unknown.
   */
  public PlannedTask {
    type = type == null ? "" : type;
    id = id == null ? "" : id;
  }

  /** Returns whether the step waits for a known reason. */
  public boolean hasReason() {
    return reason != null;
  }

  /** Returns whether the step waits for this reason. */
  public boolean waitsFor(Reason why) {
    return why.is(reason);
  }

  /** Number of repeated attempts; 0 if there was none. */
  public int retries() {
    return retryCount == null ? 0 : retryCount;
  }

  /** Maximum number of repeated attempts; 0 if none is allowed. */
  public int retryBudget() {
    return maxRetries == null ? 0 : maxRetries;
  }
}
