/**
 * Plans: {@code PlanEngine} runs tasks in order, {@code Planner} decides by aims whether a plan is
 * due. Neither knows Kubernetes.
 */
package io.sei.operator.plan;
