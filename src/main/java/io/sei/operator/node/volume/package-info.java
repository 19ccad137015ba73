/**
 * Features of a node's data volume: its size and growth, its class, its source and its reset; and
 * the guard that ends no pod whose data would go with it.
 *
 * <p>Uses {@code api.v1alpha1}, {@code base}, {@code config}, {@code diagnosis}, {@code kube},
 * {@code node.feature}, {@code node.objects}, {@code observability}, {@code plan}, {@code
 * reconcile}, {@code render}.
 *
 * <p>Begin with {@link VolumeProtection}, {@link DataLifecycle} and {@link VolumeChanges}.
 */
package io.sei.operator.node.volume;
