package io.sei.operator.plan;

import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanTarget;
import java.util.List;

/**
 * A plan to be made.
 *
 * @param failedPhase phase of the owner if the plan fails; null leaves it as it is
 */
public record PlanSpec(
    PlanKind kind,
    PlanTarget target,
    List<Step> tasks,
    NodePhase targetPhase,
    NodePhase failedPhase) {}
