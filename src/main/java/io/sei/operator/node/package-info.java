/**
 * The controller of nodes and the plan tasks of no feature. {@code node.feature} has {@code
 * NodeFeature} and what its packages share; {@code node.status} what a user reads; {@code
 * node.objects} what a node owns, and the Job that fills a volume. The other packages have features,
 * and none knows another.
 */
package io.sei.operator.node;
