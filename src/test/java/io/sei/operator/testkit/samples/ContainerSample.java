package io.sei.operator.testkit.samples;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import java.time.Instant;

/** The status of a container as a kubelet may report it. */
public final class ContainerSample {

  private final ContainerStatusBuilder status;

  private ContainerSample(ContainerStatusBuilder status) {
    this.status = status;
  }

  /** Returns a container that is not ready. */
  public static ContainerSample named(String name) {
    return new ContainerSample(
        new ContainerStatusBuilder().withName(name).withReady(false).withRestartCount(0));
  }

  public ContainerSample image(String image) {
    status.withImage(image);
    return this;
  }

  public ContainerSample imageId(String id) {
    status.withImageID(id);
    return this;
  }

  /** The id of the run in progress. */
  public ContainerSample run(String containerId) {
    status.withContainerID(containerId);
    return this;
  }

  public ContainerSample restarts(int count) {
    status.withRestartCount(count);
    return this;
  }

  public ContainerSample ready() {
    status.withReady(true);
    return this;
  }

  /** Sets the kubelet's result of its startup probe. */
  public ContainerSample started(boolean succeeded) {
    status.withStarted(succeeded);
    return this;
  }

  public ContainerSample waiting(String reason) {
    return waiting(reason, null);
  }

  /** Makes it wait with a message of the kubelet. */
  public ContainerSample waiting(String reason, String message) {
    status.withNewState().withNewWaiting(message, reason).endState();
    return this;
  }

  public ContainerSample running() {
    status.withNewState().withNewRunning().endRunning().endState();
    return this;
  }

  public ContainerSample running(Instant since) {
    status.withNewState().withNewRunning(since.toString()).endState();
    return this;
  }

  /** Its run has ended, and there is no other yet. */
  public ContainerSample ended(End end) {
    status.withNewState().withTerminated(end.build()).endState();
    return this;
  }

  /** Sets the end of the run before this one. */
  public ContainerSample lastEnd(End end) {
    status.withNewLastState().withTerminated(end.build()).endLastState();
    return this;
  }

  public ContainerStatus build() {
    return status.build();
  }
}
