package io.sei.operator.diagnosis;

import static io.sei.operator.api.v1alpha1.StallReason.SIDECAR_FORBIDDEN;
import static io.sei.operator.api.v1alpha1.StallReason.SIDECAR_NOT_ASKED;
import static io.sei.operator.api.v1alpha1.StallReason.SIDECAR_TASK_FAILED;
import static io.sei.operator.api.v1alpha1.StallReason.SIDECAR_UNREACHABLE;
import static io.sei.operator.api.v1alpha1.StallReason.SIDECAR_UNSUPPORTED;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/** Causes that the operator met when it talked to the sidecar. */
final class SidecarSymptoms {

  /**
   * Time within which a sidecar, or the proxy in front of it, has to listen. The proxy was seen to
   * take 0.15 s on a real node; the rest is for a Kubernetes node whose cores are all busy.
   */
  static final Duration START = Duration.ofSeconds(15);

  private SidecarSymptoms() {}

  static Optional<Finding> of(Evidence evidence, Instant now) {
    return switch (evidence.sidecarTrouble()) {
      case NONE -> Optional.empty();
      case UNREACHABLE -> unreachable(evidence, now);
      case FORBIDDEN ->
          Optional.of(
              Finding.of(
                  SIDECAR_FORBIDDEN,
                  seen(evidence, "the operator may not use the sidecar"),
                  "check that the operator may create serviceaccounts/token of the account in"
                      + " SEI_SIDECAR_SERVICE_ACCOUNT, that this account may get, create and delete"
                      + " seinodes/sidecar here, and that the pod's ServiceAccount may review"
                      + " tokens (ClusterRole system:auth-delegator)"));
      case NOT_ASKED ->
          Optional.of(
              Finding.of(
                  SIDECAR_NOT_ASKED,
                  seen(evidence, "the operator does not call the sidecar"),
                  "run the command that is named; without one, the operator continues by itself"));
      case UNSUPPORTED ->
          Optional.of(
              Finding.terminal(
                  SIDECAR_UNSUPPORTED,
                  evidence.sidecarMessage() == null
                      ? seen(evidence, "the sidecar does not support it")
                      : evidence.sidecarMessage(),
                  "set spec.sidecar.image to a version from v0.0.50 to v0.0.70; for peers by"
                      + " ec2Tags to v0.0.56 or older, or use static or label peers; for"
                      + " spec.maintenance.hold: AfterExit to v0.0.64 or newer, or use Immediate"));
      case TASK_FAILED ->
          Optional.of(
              Finding.of(
                  SIDECAR_TASK_FAILED,
                  seen(evidence, "the sidecar reports a failure"),
                  afterFailure(evidence)));
      case TASK_GIVEN_UP ->
          Optional.of(
              Finding.terminal(
                  SIDECAR_TASK_FAILED,
                  seen(evidence, "the sidecar reports a failure"),
                  afterFailure(evidence)));
      case CONFIGURATION_REFUSED ->
          Optional.of(
              Finding.terminal(
                  SIDECAR_TASK_FAILED,
                  seen(evidence, "the sidecar refuses the configuration"),
                  "correct spec.overrides, spec.configValues or spec.peers, or take the change"
                      + " back"));
    };
  }

  private static String afterFailure(Evidence evidence) {
    return evidence.retried()
        ? "the operator retries; if it keeps failing, fix the cause"
        : "fix the cause, then change the spec or set a new value of the annotation sei.io/retry";
  }

  /**
   * A sidecar that has yet to start, or to listen, is not unreachable; nor is one on a Kubernetes
   * node that is back, until its kubelet has reported the pod's state.
   */
  private static Optional<Finding> unreachable(Evidence evidence, Instant now) {
    Pod pod = evidence.pod();
    if (!PodFacts.hasRunningContainer(pod)
        || isStarting(pod, now)
        || PodFacts.isReadinessOverruled(pod)) {
      return Optional.empty();
    }
    return Optional.of(
        Finding.of(
            SIDECAR_UNREACHABLE,
            seen(evidence, "the sidecar does not respond"),
            "check the logs of container "
                + Names.SIDECAR
                + ", and whether a NetworkPolicy blocks the operator"));
  }

  private static boolean isStarting(Pod pod, Instant now) {
    return Stream.of(Names.SIDECAR, Names.PROXY)
        .flatMap(container -> PodFacts.status(pod, container).stream())
        .flatMap(status -> PodFacts.runningSince(status).stream())
        // A moment far ahead says nothing: one of the two clocks is wrong.
        .anyMatch(since -> Duration.between(since, now).abs().compareTo(START) < 0);
  }

  private static String seen(Evidence evidence, String what) {
    String task = evidence.currentTask() == null ? "" : "task " + evidence.currentTask() + ": ";
    String words = evidence.sidecarMessage() == null ? "" : ": " + evidence.sidecarMessage();
    return task + what + words;
  }
}
