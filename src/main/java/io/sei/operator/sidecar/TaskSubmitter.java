package io.sei.operator.sidecar;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Submits a task to a sidecar under an id that does not change. The task is looked up first: a
 * process that takes over from one that died after the submission finds the task, and does not
 * submit it again. The two methods differ in what becomes of a task that the sidecar does not know.
 *
 * @param params parameters of the task; null for none
 * @param record called before the task is submitted
 */
public record TaskSubmitter(
    SidecarClient client,
    SidecarAddress sidecar,
    String id,
    String type,
    JsonNode params,
    Runnable record) {

  /** Result of a look at the sidecar, and of a submission where that was due. */
  public sealed interface Submission {

    /** No task was submitted. The task is empty if the sidecar does not know it. */
    record None(Optional<SidecarTask> task) implements Submission {}

    /** The sidecar accepted the task. */
    record Accepted() implements Submission {}

    /** The submission was refused, or got no answer and may have arrived. */
    record Failed(SidecarException cause) implements Submission {}
  }

  /**
   * Submits a task that does no harm twice, whenever it is missing or has to run again.
   *
   * @param isMissing decides by the task as the sidecar knows it, if it does
   * @throws SidecarException if the sidecar cannot be asked
   */
  public Submission repeatable(Predicate<Optional<SidecarTask>> isMissing) {
    Optional<SidecarTask> known = client.lookup(sidecar, id);
    return isMissing.test(known) ? submit() : new Submission.None(known);
  }

  /**
   * Submits a task that has an effect each time, unless its submission is recorded or the sidecar
   * knows the task. A recorded task that the sidecar does not know may have had its effect.
   *
   * @throws SidecarException if the sidecar cannot be asked
   */
  public Submission atMostOnce(boolean isRecorded) {
    Optional<SidecarTask> known = client.lookup(sidecar, id);
    return isRecorded || known.isPresent() ? new Submission.None(known) : submit();
  }

  private Submission submit() {
    record.run();
    try {
      client.submit(sidecar, id, type, params);
      return new Submission.Accepted();
    } catch (SidecarException e) {
      return new Submission.Failed(e);
    }
  }
}
