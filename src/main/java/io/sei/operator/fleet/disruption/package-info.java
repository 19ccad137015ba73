/**
 * Decides which node of a fleet may be taken down next, and for what. One {@code Availability}
 * counts the nodes that are ready, down, in flight and exempt; the sources (rollout, configuration,
 * early upgrade and restart by a task) choose their nodes within it. Admissions are recorded before
 * a node is touched.
 *
 * <p>Uses {@code api.v1alpha1}, {@code base}, {@code chain}, {@code fleet.feature}, {@code kube},
 * {@code plan}, {@code reconcile}, {@code render}.
 *
 * <p>Begin with {@link Disruptions}, {@link Availability} and {@link RolloutPlanner}.
 */
package io.sei.operator.fleet.disruption;
