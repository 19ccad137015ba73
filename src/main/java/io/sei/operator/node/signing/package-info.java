/**
 * Features of validators and their keys: no key signs in two places, no validator signs without the
 * record of what it has signed, and Secrets are checked before a pod mounts them. {@code
 * SigningKeyLock} keeps the record of a key in the cluster.
 *
 * <p>Uses {@code api.v1alpha1}, {@code base}, {@code diagnosis}, {@code kube}, {@code
 * node.feature}, {@code node.objects}, {@code observability}, {@code plan}, {@code reconcile},
 * {@code render}.
 *
 * <p>Begin with {@link KeyTasks} then {@link SigningKeyGuard} and {@link SigningKeyLockPolicy}.
 */
package io.sei.operator.node.signing;
