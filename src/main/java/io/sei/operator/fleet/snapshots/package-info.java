/**
 * Feature that takes VolumeSnapshots of a fleet's volumes on a schedule: chooses the node, stops
 * it, and prunes old snapshots.
 *
 * <p>Uses {@code api.v1alpha1}, {@code api.validation}, {@code base}, {@code fleet.disruption},
 * {@code fleet.feature}, {@code kube}, {@code observability}, {@code reconcile}, {@code render}.
 *
 * <p>Begin with {@link SnapshotRuns} then {@link SnapshotPlanner}.
 */
package io.sei.operator.fleet.snapshots;
