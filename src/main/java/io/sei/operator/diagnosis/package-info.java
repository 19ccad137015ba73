/**
 * Finds the reason why a node makes no progress, from pods, claims, logs, Events and Kubernetes
 * nodes that others have read. Every class is pure. Events and Kubernetes nodes count only for a
 * pod that is missing, unready for a minute, or no longer reported.
 *
 * <p>Uses {@code api.v1alpha1}, {@code base}, {@code render}.
 *
 * <p>Begin with {@link Diagnosis} then {@link CauseOfDeath}.
 */
package io.sei.operator.diagnosis;
