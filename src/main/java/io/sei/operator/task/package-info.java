/**
 * Controller of {@code SeiNodeTask}s, one action on one node each. A task is submitted to the
 * sidecar at most once, or carried out by its node by an annotation.
 *
 * <p>Uses {@code api.v1alpha1}, {@code base}, {@code chain}, {@code diagnosis}, {@code kube},
 * {@code plan}, {@code render}, {@code sidecar}.
 *
 * <p>Begin with {@link TaskController} then {@link TaskRules}.
 */
package io.sei.operator.task;
