/**
 * Conditions, phase and Events of a node that belong to no feature, derived from a pass; among them
 * Ready, UpToDate, Stalled and Paused, for which features offer proposals with ranks.
 *
 * <p>Uses {@code api.v1alpha1}, {@code api.validation}, {@code base}, {@code diagnosis}, {@code
 * kube}, {@code node.feature}, {@code node.objects}, {@code reconcile}, {@code render}, {@code
 * sidecar}.
 *
 * <p>Begin with {@link NodeStatus} then {@link NodeConditions} and {@link Stalling}.
 */
package io.sei.operator.node.status;
