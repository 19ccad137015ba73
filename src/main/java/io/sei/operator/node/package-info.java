/**
 * The controller of nodes. {@code node.model} has what its packages share and {@code NodeFeature};
 * {@code node.status} what a user reads; {@code node.resources} what a node owns; {@code node.task}
 * the tasks of no feature. The other packages are features, and none knows another.
 */
package io.sei.operator.node;
