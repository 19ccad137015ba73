/**
 * Kernel of the reconciles of nodes and fleets: passes with at most one status write each, the
 * finalizer, proposals for conditions, rules of Events, and rejected writes.
 *
 * <p>Uses {@code api.v1alpha1}, {@code api.validation}, {@code base}, {@code diagnosis}, {@code
 * kube}, {@code observability}, {@code plan}.
 *
 * <p>Begin with {@link Kernel} then {@link Reconciling}.
 */
package io.sei.operator.reconcile;
