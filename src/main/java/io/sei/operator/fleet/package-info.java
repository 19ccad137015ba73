/**
 * The controller of fleets, which sees its nodes through {@code SeiNode} objects alone, and in a
 * rollout the pod of a node that is not Ready; and the objects and the status of a fleet. {@code
 * fleet.feature} has {@code FleetFeature} and what the packages share; {@code fleet.disruption}
 * decides which node is next. The other packages are features.
 */
package io.sei.operator.fleet;
