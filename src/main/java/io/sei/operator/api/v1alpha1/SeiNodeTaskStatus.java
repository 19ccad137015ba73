package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.sei.operator.api.schema.Bounds;
import io.sei.operator.api.schema.ListTypes;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;

/** How far a task has come. */
@RecordBuilder
@SchemaCustomizer(value = ListTypes.class, input = "conditions=map:type")
@SchemaCustomizer(value = Bounds.class, input = "status")
public record SeiNodeTaskStatus(
    @JsonPropertyDescription("Generation of the spec this status was computed from.")
        Long observedGeneration,
    @JsonPropertyDescription("Complete and Failed are final.") NodeTaskPhase phase,
    @JsonPropertyDescription("Unset for as long as nothing can have been submitted.")
        NodeTaskSubmission task,
    NodeTaskOutputs outputs,
    Instant phaseTransitionTime,
    @JsonPropertyDescription("When the operator first saw the task.") Instant startedAt,
    @JsonPropertyDescription("When its node was first there.") Instant targetFirstObservedAt,
    List<Condition> conditions)
    implements SeiNodeTaskStatusBuilder.With {

  /** A list that is missing is empty. */
  public SeiNodeTaskStatus {
    conditions = conditions == null ? List.of() : List.copyOf(conditions);
  }

  /** The status of a task that nobody has looked at yet. */
  public static SeiNodeTaskStatus empty() {
    return new SeiNodeTaskStatus(null, null, null, null, null, null, null, null);
  }

  /** Whether nothing is done for the task any more. */
  public boolean finished() {
    return phase != null && phase.isFinished();
  }

  /** The status in this phase. */
  public SeiNodeTaskStatus in(NodeTaskPhase next, Instant now) {
    return next == phase ? this : with(it -> it.phase(next).phaseTransitionTime(now));
  }

  /** The status with a condition set. */
  public SeiNodeTaskStatus with(
      NodeTaskConditionType type,
      ConditionStatus value,
      NodeTaskReason reason,
      String message,
      Instant now) {
    return withConditions(
        Conditions.with(conditions, type, value, reason, message, observedGeneration, now));
  }
}
