/**
 * Features that write seid's configuration: the files that the sidecar writes, the peers in them,
 * and the restart of a seid that has not read them yet.
 *
 * <p>Uses {@code api.v1alpha1}, {@code base}, {@code diagnosis}, {@code kube}, {@code
 * node.feature}, {@code plan}, {@code reconcile}, {@code render}, {@code sidecar}.
 *
 * <p>Begin with {@link Configuration} then {@link ConfigRestart} and {@link ResolvedPeers}.
 */
package io.sei.operator.node.config;
