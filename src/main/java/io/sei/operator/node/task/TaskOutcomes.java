package io.sei.operator.node.task;

import io.sei.operator.node.model.SyncResult;
import io.sei.operator.plan.TaskOutcome;
import java.time.Duration;

/** What the result of a sync means for the task that asked for it. */
final class TaskOutcomes {

  private TaskOutcomes() {}

  static TaskOutcome of(SyncResult result) {
    if (result instanceof SyncResult.Blocked blocked) {
      return TaskOutcome.waitFor(blocked.reason(), blocked.message(), blocked.recheck());
    }
    if (result instanceof SyncResult.Persist) {
      return TaskOutcome.waitFor(
          "Recording", "what the node claims is being recorded first", Duration.ZERO);
    }
    return TaskOutcome.done();
  }
}
