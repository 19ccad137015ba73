package io.sei.operator.node.feature;

import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.plan.TaskOutcome;
import java.time.Duration;

/**
 * What comes of a task whose write the API server refuses: whoever can change that is not known to
 * the operator, so it costs no retry and is tried again.
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
