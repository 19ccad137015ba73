package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Progress of a task. */
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
    @JsonPropertyDescription("Time at which the operator first saw the task.") Instant startedAt,
    @JsonPropertyDescription("Time at which its node first existed.") Instant targetFirstObservedAt,
    List<Condition> conditions)
    implements SeiNodeTaskStatusBuilder.With, HasConditions {

  /** A list that is missing is empty. */
  public SeiNodeTaskStatus {
    conditions = conditions == null ? List.of() : List.copyOf(conditions);
  }

  /** The status of a task before its first reconcile. */
  public static SeiNodeTaskStatus empty() {
    return new SeiNodeTaskStatus(null, null, null, null, null, null, null, null);
  }

  /** Returns whether nothing is done for the task any more. */
  public boolean finished() {
    return phase != null && phase.isFinished();
  }

  /** The status in this phase. */
  public SeiNodeTaskStatus in(NodeTaskPhase next, Instant now) {
    return next == phase ? this : with(builder -> builder.phase(next).phaseTransitionTime(now));
  }

  /** The status with Stalled and Reconciling, which kstatus reads, by its other conditions. */
  public SeiNodeTaskStatus concluded(Instant now) {
    Optional<Condition> target = condition(NodeTaskConditionType.TARGET_READY);
    Optional<Condition> stalled =
        condition(NodeTaskConditionType.FAILED)
            .or(() -> target.filter(condition -> condition.isFor(NodeTaskReason.INVALID_SPEC)));
    if (stalled.isPresent()) {
      return as(stalled.get(), NodeTaskConditionType.STALLED, ConditionStatus.TRUE, now)
          .as(stalled.get(), NodeTaskConditionType.RECONCILING, ConditionStatus.FALSE, now);
    }
    SeiNodeTaskStatus going =
        with(
            NodeTaskConditionType.STALLED,
            ConditionStatus.FALSE,
            NodeTaskReason.NOT_STALLED,
            "the task has not failed",
            now);
    Optional<Condition> complete = condition(NodeTaskConditionType.READY);
    if (complete.isPresent()) {
      return going.as(
          complete.get(), NodeTaskConditionType.RECONCILING, ConditionStatus.FALSE, now);
    }
    return target.isPresent()
        ? going.as(target.get(), NodeTaskConditionType.RECONCILING, ConditionStatus.TRUE, now)
        : going.with(
            NodeTaskConditionType.RECONCILING,
            ConditionStatus.TRUE,
            NodeTaskReason.PHASE_NOT_MET,
            "the task has yet to begin",
            now);
  }

  /** The status with a condition that has the reason and the message of another one. */
  private SeiNodeTaskStatus as(
      Condition other, NodeTaskConditionType type, ConditionStatus value, Instant now) {
    return withConditions(
        Conditions.with(
            conditions,
            type,
            value,
            other.storedReason(),
            other.message(),
            observedGeneration,
            now));
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
