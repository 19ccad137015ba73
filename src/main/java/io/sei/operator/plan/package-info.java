/**
 * Plans: {@code PlanEngine} runs tasks in order, {@code Planner} decides by {@code PlanTrigger}s
 * whether a plan is due. Neither knows Kubernetes.
 */
package io.sei.operator.plan;
