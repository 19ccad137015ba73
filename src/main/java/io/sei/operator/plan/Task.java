package io.sei.operator.plan;

import io.sei.operator.api.v1alpha1.PlannedTask;

/**
 * One type of task. An implementation has no state of its own: running it again after a crash, from
 * what is persisted, must be harmless.
 *
 * @param <C> what tasks of this plan's owner work with
 */
public interface Task<C> {

  /** The type as it stands in persisted plans; must never change. */
  String type();

  /** Does what is left to do, without waiting for anything. */
  TaskOutcome run(PlannedTask task, C context);
}
