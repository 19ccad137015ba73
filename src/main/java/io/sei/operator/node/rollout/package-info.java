/**
 * Features that bring the pod of a node to its newest template, by deleting it or by an update in
 * place, and that pull its images before.
 *
 * <p>Uses {@code api.v1alpha1}, {@code base}, {@code diagnosis}, {@code kube}, {@code
 * node.feature}, {@code node.objects}, {@code plan}, {@code reconcile}, {@code render}.
 *
 * <p>Begin with {@link PodUpdates} then {@link ReplacePodTask} and {@link InPlaceUpdate}.
 */
package io.sei.operator.node.rollout;
