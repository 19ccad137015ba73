/**
 * Features of a fleet with a chain of its own: makes keys and genesis by a Job, once and before the
 * first node, and reports whether the chain produces blocks.
 *
 * <p>Uses {@code api.v1alpha1}, {@code api.validation}, {@code base}, {@code diagnosis}, {@code
 * fleet.feature}, {@code kube}, {@code reconcile}, {@code render}.
 *
 * <p>Begin with {@link ChainGenesis} then {@link CeremonyObjects}.
 */
package io.sei.operator.fleet.genesis;
