/**
 * The controller of nodes and the plan tasks of no feature. {@code node.model} has what its
 * packages share and {@code NodeFeature}; {@code node.status} what a user reads; {@code
 * node.resources} what a node owns; {@code node.bootstrap} the Job that fills a volume. The other
 * packages are features, and none knows another.
 */
package io.sei.operator.node;
