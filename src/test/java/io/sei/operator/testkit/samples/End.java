package io.sei.operator.testkit.samples;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateTerminatedBuilder;
import java.time.Duration;
import java.time.Instant;

/**
 * End of a run of a container.
 *
 * @param run the id of the container; null if the kubelet does not say
 * @param ran how long it had run; null if the kubelet does not say
 */
public record End(
    int exitCode, String reason, String message, String run, Instant at, Duration ran) {

  public static End exit(int code, String message) {
    return new End(code, code == 0 ? "Completed" : "Error", message, null, null, null);
  }

  public End because(String newReason) {
    return new End(exitCode, newReason, message, run, at, ran);
  }

  public End ofRun(String containerId) {
    return new End(exitCode, reason, message, containerId, at, ran);
  }

  public End at(Instant newAt) {
    return new End(exitCode, reason, message, run, newAt, ran);
  }

  public End after(Duration newRan) {
    return new End(exitCode, reason, message, run, at, newRan);
  }

  ContainerStateTerminated build() {
    return new ContainerStateTerminatedBuilder()
        .withExitCode(exitCode)
        .withReason(reason)
        .withMessage(message)
        .withContainerID(run)
        .withStartedAt(ran == null ? null : at.minus(ran).toString())
        .withFinishedAt(at == null ? null : at.toString())
        .build();
  }
}
