/**
 * Features that keep seid from running: held by a person who works on the volume, moved to another
 * signer, or stopped by the fleet for a VolumeSnapshot.
 *
 * <p>Uses {@code api.v1alpha1}, {@code diagnosis}, {@code kube}, {@code node.feature}, {@code
 * observability}, {@code plan}, {@code reconcile}, {@code render}.
 *
 * <p>Begin with {@link Hold}.
 */
package io.sei.operator.node.hold;
