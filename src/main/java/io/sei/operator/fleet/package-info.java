/**
 * Controller of fleets: keeps as many nodes as wanted, each of its template, and the objects beside
 * them; decides what a user reads of a fleet; and looks after what the Go operator made for it. It
 * sees its nodes through {@code SeiNode} objects alone, and in a rollout the pod of a node that is
 * not Ready.
 *
 * <p>Uses {@code api.v1alpha1}, {@code api.validation}, {@code base}, {@code diagnosis}, {@code
 * fleet.disruption}, {@code fleet.feature}, {@code kube}, {@code reconcile}, {@code render}, {@code
 * takeover}.
 *
 * <p>Begin with {@link FleetController}, {@link Children} and {@link FleetStatus}.
 */
package io.sei.operator.fleet;
