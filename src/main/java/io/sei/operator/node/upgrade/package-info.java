/**
 * Features of chain upgrades: the images of the upgrades ahead are pulled, and a node whose seid
 * has halted at an upgrade height is switched to its next image, on the evidence of its own log
 * alone.
 *
 * <p>Uses {@code api.v1alpha1}, {@code chain}, {@code diagnosis}, {@code kube}, {@code
 * node.feature}, {@code node.objects}, {@code observability}, {@code reconcile}, {@code render}.
 *
 * <p>Begin with {@link Upgrades} then {@link UpgradeEvidence} and {@link UpgradesReady}.
 */
package io.sei.operator.node.upgrade;
