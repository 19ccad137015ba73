package io.sei.operator.diagnosis;

import static io.sei.operator.api.v1alpha1.StallReason.QUOTA_EXCEEDED;

import io.fabric8.kubernetes.api.model.Event;
import java.util.Optional;
import java.util.Set;

/** Causes for which there is no pod: its controller reports them in events only. */
final class CreationSymptoms {

  /** Text of an API server about an exceeded quota. */
  static final String OVER_QUOTA = "exceeded quota";

  private static final String FAILED_CREATE = "FailedCreate";

  // A later success means that the refusal is a thing of the past.
  private static final Set<String> ATTEMPTS = Set.of(FAILED_CREATE, "SuccessfulCreate");

  private CreationSymptoms() {}

  static Optional<Finding> quotaExceeded(Evidence evidence) {
    return refusal(evidence)
        .filter(message -> message.contains(OVER_QUOTA))
        .map(
            message ->
                Finding.of(
                    QUOTA_EXCEEDED,
                    message,
                    "raise the quota of the namespace or lower spec.resources"));
  }

  static Optional<Finding> cannotCreate(Evidence evidence) {
    return refusal(evidence)
        .map(
            message ->
                Finding.unknown(message, "change the policy that rejects the pod, or the spec"));
  }

  private static Optional<String> refusal(Evidence evidence) {
    if (evidence.pod() != null) {
      return Optional.empty();
    }
    return Events.newest(Events.ofCreator(evidence), ATTEMPTS)
        .filter(event -> FAILED_CREATE.equals(event.getReason()))
        .map(Event::getMessage);
  }
}
