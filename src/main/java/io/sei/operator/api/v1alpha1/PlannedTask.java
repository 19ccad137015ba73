package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.generator.annotation.Required;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;

/**
 * One step of a plan.
 *
 * @param id UUIDv5 of plan id, type and index: the same step always has the same id
 * @param startedAt when the step was first tried; the progress deadline counts from here
 * @param submittedAt when the sidecar accepted the task
 * @param retryAt not before this moment is a failed step tried again
 * @param reason why the step waits, in CamelCase
 * @param message why the step waits, for a human
 * @param error the last failure
 */
@RecordBuilder
public record PlannedTask(
    @Required String type,
    @Required String id,
    @Required TaskStatus status,
    JsonNode params,
    Instant startedAt,
    Instant submittedAt,
    Instant retryAt,
    String reason,
    String message,
    String error,
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
