package io.sei.operator.fleet.status;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.Explanation;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.render.Annotations;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The status of a deployment whose spec cannot be worked with. Its nodes are resources of their own
 * and go on with the last good spec, so a phase that was reached is kept.
 */
public final class InvalidFleet {

  private InvalidFleet() {}

  public static SeiNodeDeploymentStatus status(
      SeiNodeDeployment deployment, List<FieldError> errors, Instant now) {
    SeiNodeDeploymentStatus status = FleetSnapshot.statusOf(deployment);
    String message =
        errors.stream()
            .map(error -> error.path() + ": " + error.message())
            .collect(Collectors.joining("; "));
    List<Condition> conditions = status.conditions();
    for (FleetConditionType type :
        List.of(FleetConditionType.READY, FleetConditionType.UP_TO_DATE)) {
      conditions =
          Conditions.with(
              conditions,
              type.toString(),
              ConditionStatus.FALSE,
              FleetReason.INVALID_SPEC.toString(),
              message,
              deployment.getMetadata().getGeneration(),
              now);
    }
    return status
        .withConditions(conditions)
        .withPhase(status.phase() == null ? FleetPhase.PENDING : status.phase())
        .withExplain(
            Explanation.ofInvalid(
                status.explain(),
                Annotations.explainRequest(deployment),
                deployment.getMetadata().getGeneration(),
                now,
                message));
  }
}
