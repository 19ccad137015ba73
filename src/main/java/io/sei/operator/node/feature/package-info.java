/**
 * Contract between the controller of nodes and the features: the hooks, the view of a node, the
 * pass with the draft of its status, the slots of plans, and what more than one feature needs.
 *
 * <p>Uses {@code api.v1alpha1}, {@code base}, {@code chain}, {@code diagnosis}, {@code kube},
 * {@code plan}, {@code reconcile}, {@code render}, {@code sidecar}.
 *
 * <p>Begin with {@link NodeFeature}, {@link NodeView} and {@link NodePass}.
 */
package io.sei.operator.node.feature;
