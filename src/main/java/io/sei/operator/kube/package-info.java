/**
 * Layer over the API server: live reads and writes with preconditions, server-side apply of what
 * has changed, status patches, Events, lenient and bounded reading of objects, and the gate in
 * front of every reconcile.
 *
 * <p>Uses {@code base}.
 *
 * <p>Begin with {@link KubeApi}, {@link Applier} and {@link ReconcileGate}.
 */
package io.sei.operator.kube;
