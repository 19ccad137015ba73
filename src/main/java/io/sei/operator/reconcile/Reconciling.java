package io.sei.operator.reconcile;

import io.fabric8.kubernetes.client.CustomResource;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.kube.ObjectEvent;
import java.time.Instant;
import java.util.List;

/**
 * Operations of a kind for the kernel: the steps of a pass, in the order they are called, and how
 * its status reads.
 *
 * @param <R> the resource
 * @param <S> its status
 * @param <P> a pass
 */
public interface Reconciling<R extends CustomResource<?, S>, S, P extends Pass<S>> {

  /** The rules that a spec breaks which the API server could not refuse. */
  List<FieldError> errors(R resource);

  /**
   * Puts together what is known of a resource whose spec is valid; does nothing else.
   *
   * @param status that of the resource, with the steps that are yet to be written
   */
  P observe(R resource, S status);

  /**
   * Checks whether the kernel may go on: if not, it rests without a write, or leaves the resource
   * alone.
   */
  default Next begin(P pass) {
    return Next.goOn();
  }

  /** Decides, and acts up to what has to be written first. */
  Next act(P pass);

  /** Concludes the status, whatever failed. */
  void report(P pass);

  /** The status of a resource, empty rather than null. */
  S statusOf(R resource);

  /** The plan in a status; null if there is none. */
  TaskPlan planOf(S status);

  /** The status of a resource whose spec cannot be worked with. */
  S invalid(R resource, List<FieldError> errors, Instant now);

  /** The status of a resource that is being deleted. */
  S terminating(S status);

  /** Returns the status with Stalled=True. */
  S stalled(S status, Finding finding, Long generation, Instant now);

  /** The status as it is written. */
  S concluded(S before, S reached, Long generation, Instant now);

  /** Returns whether two statuses differ, and only in how far an active plan is. */
  default boolean isProgressOnly(S before, S reached) {
    return false;
  }

  /** The Events that a change of status records. */
  List<ObjectEvent> events(S before, S after);
}
