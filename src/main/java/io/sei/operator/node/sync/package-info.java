/**
 * Features that get a node its blocks and follow how far it is: from a genesis, a snapshot in a
 * bucket or by state sync, until it has caught up with the chain; and that stop it at a height.
 *
 * <p>Uses {@code api.v1alpha1}, {@code api.validation}, {@code base}, {@code chain}, {@code
 * config}, {@code diagnosis}, {@code kube}, {@code node.feature}, {@code observability}, {@code
 * plan}, {@code reconcile}, {@code render}.
 *
 * <p>Begin with {@link CaughtUp}, {@link StateSync} and {@link SyncPoller}.
 */
package io.sei.operator.node.sync;
