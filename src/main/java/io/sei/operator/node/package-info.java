/**
 * Controller of nodes: observes a node, decides on its plan, runs it and writes the status; and the
 * plan tasks that belong to no feature. It knows features by their hooks only.
 *
 * <p>Uses {@code api.v1alpha1}, {@code api.validation}, {@code base}, {@code chain}, {@code
 * config}, {@code diagnosis}, {@code kube}, {@code node.feature}, {@code node.objects}, {@code
 * node.status}, {@code plan}, {@code reconcile}, {@code render}, {@code sidecar}, {@code takeover}.
 *
 * <p>Begin with {@link NodeController}, {@link NodeActions} and {@link NodePlanner}.
 */
package io.sei.operator.node;
