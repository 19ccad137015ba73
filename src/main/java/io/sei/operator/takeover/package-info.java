/**
 * Adoption of nodes and fleets from the Go operator: its field managers, its Leases, and what the
 * pods that it made stand for. Nothing is adopted while the other operator renews its Lease.
 *
 * <p>Uses {@code api.v1alpha1}, {@code base}, {@code config}, {@code diagnosis}, {@code kube},
 * {@code render}.
 *
 * <p>Begin with {@link TakeoverGate} then {@link Adoption}.
 */
package io.sei.operator.takeover;
