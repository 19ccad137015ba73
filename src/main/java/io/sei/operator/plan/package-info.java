/**
 * Plans as they are stored in a status: a list of plan tasks that lead from the observed to the
 * desired state. {@code Planner} decides by {@code PlanTrigger}s whether a plan is due, {@code
 * PlanEngine} runs its tasks in order. Neither knows Kubernetes.
 *
 * <p>Uses {@code api.v1alpha1}, {@code base}.
 *
 * <p>Begin with {@link PlanEngine}, {@link TaskOutcome} and {@link Planner}.
 */
package io.sei.operator.plan;
