/**
 * Objects that a node owns, kept as rendered: StatefulSet, Services, ConfigMap, data claim,
 * PodDisruptionBudget, and the Jobs that bootstrap a volume or pull images. {@code
 * StatefulSetIdentity} decides whose StatefulSet it is.
 *
 * <p>Uses {@code api.v1alpha1}, {@code base}, {@code chain}, {@code diagnosis}, {@code kube},
 * {@code node.feature}, {@code plan}, {@code reconcile}, {@code render}, {@code takeover}.
 *
 * <p>Begin with {@link NodeObjects}, {@link StatefulSetSync} and {@link DataClaim}.
 */
package io.sei.operator.node.objects;
