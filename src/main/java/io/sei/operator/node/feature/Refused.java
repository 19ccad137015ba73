package io.sei.operator.node.feature;

import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.plan.TaskOutcome;
import java.time.Duration;

/**
 * Outcome of a task whose write the API server refuses. Only an administrator can change that, so
 * that it costs no retry and is attempted again.
 */
public final class Refused {

  private Refused() {}

  /**
   * Waits, if that is what was thrown.
   *
   * @throws RuntimeException anything else
   */
  public static TaskOutcome or(RuntimeException thrown, NodePass pass) {
    if (thrown instanceof RefusedException refused) {
      return waitFor(pass.refusals().add(refused), pass.refusalRecheck());
    }
    throw thrown;
  }

  /** Waits for what a diagnosis has found. */
  public static TaskOutcome waitFor(Finding finding, Duration recheck) {
    return TaskOutcome.waitFor(finding.reason(), finding.message(), recheck);
  }
}
