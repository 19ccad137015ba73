package io.sei.operator.diagnosis;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateTerminatedBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Pods, claims and events as a cluster shows them. */
final class PodSamples {

  static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  static final String NODE = "worker-1";

  private PodSamples() {}

  /** A pod bound to {@link #NODE} with these container statuses. */
  static Pod pod(ContainerStatus... statuses) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("val-0")
        .withNamespace("sei")
        .withUid("pod-uid")
        .endMetadata()
        .withNewSpec()
        .withNodeName(NODE)
        .endSpec()
        .withNewStatus()
        .withPhase("Running")
        .withContainerStatuses(statuses)
        .endStatus()
        .build();
  }

  static Pod withInit(Pod pod, ContainerStatus... statuses) {
    return new PodBuilder(pod).editStatus().withInitContainerStatuses(statuses).endStatus().build();
  }

  /** A pod whose proxy takes tokens of one audience. */
  static Pod marked(Pod pod) {
    return new PodBuilder(pod)
        .editMetadata()
        .addToAnnotations("sei.io/sidecar-audience", "sei.io/sidecar")
        .endMetadata()
        .build();
  }

  /** A pod that the API server asked to be gone at {@code due}. */
  static Pod terminating(Pod pod, Instant due) {
    return new PodBuilder(pod)
        .editMetadata()
        .withDeletionTimestamp(due.toString())
        .endMetadata()
        .build();
  }

  /** A pod without a place; {@code words} are the scheduler's, if any. */
  static Pod unscheduled(String words) {
    var pod =
        new PodBuilder(pod())
            .editSpec()
            .withNodeName(null)
            .endSpec()
            .editStatus()
            .withPhase("Pending");
    if (words != null) {
      pod.addNewCondition()
          .withType("PodScheduled")
          .withStatus("False")
          .withReason("Unschedulable")
          .withMessage(words)
          .endCondition();
    }
    return pod.endStatus().build();
  }

  static Pod ready(Pod pod) {
    return new PodBuilder(pod)
        .editStatus()
        .addNewCondition()
        .withType("Ready")
        .withStatus("True")
        .endCondition()
        .endStatus()
        .build();
  }

  /** A pod that the control plane calls unready, against the last words of its kubelet. */
  static Pod overruled(Pod pod) {
    return new PodBuilder(pod)
        .editStatus()
        .addNewCondition()
        .withType("ContainersReady")
        .withStatus("True")
        .endCondition()
        .addNewCondition()
        .withType("Ready")
        .withStatus("False")
        .endCondition()
        .endStatus()
        .build();
  }

  static ContainerStatus waiting(String container, String reason, String message) {
    return status(container, 0)
        .withNewState()
        .withNewWaiting()
        .withReason(reason)
        .withMessage(message)
        .endWaiting()
        .endState()
        .build();
  }

  static ContainerStatus running(String container) {
    return status(container, 0)
        .withReady(true)
        .withImageID("sha256:" + container)
        .withNewState()
        .withNewRunning()
        .endRunning()
        .endState()
        .build();
  }

  /** A container in CrashLoopBackOff. */
  static ContainerStatus backOff(String container, int restarts, End end) {
    return status(container, restarts)
        .withNewState()
        .withNewWaiting()
        .withReason("CrashLoopBackOff")
        .endWaiting()
        .endState()
        .withNewLastState()
        .withTerminated(end.build())
        .endLastState()
        .build();
  }

  /** A container that has ended and was not started again. */
  static ContainerStatus ended(String container, int restarts, End end) {
    return status(container, restarts)
        .withNewState()
        .withTerminated(end.build())
        .endState()
        .build();
  }

  /** A container that is up again after an end, but not ready. */
  static ContainerStatus upAgain(String container, int restarts, End end) {
    return status(container, restarts)
        .withNewState()
        .withNewRunning()
        .endRunning()
        .endState()
        .withNewLastState()
        .withTerminated(end.build())
        .endLastState()
        .build();
  }

  /** A container that has been up again since a moment, and ready. */
  static ContainerStatus readyAgain(String container, int restarts, End end, Instant since) {
    ContainerStatus status = upAgain(container, restarts, end);
    status.setReady(true);
    status.getState().getRunning().setStartedAt(since.toString());
    return status;
  }

  /**
   * How a container ended.
   *
   * @param ran how long it had run; null if the kubelet does not say
   */
  record End(int exitCode, String reason, String message, Instant at, Duration ran) {

    static End exit(int code, String message) {
      return new End(code, code == 0 ? "Completed" : "Error", message, NOW.minusSeconds(30), null);
    }

    End because(String newReason) {
      return new End(exitCode, newReason, message, at, ran);
    }

    End at(Instant newAt) {
      return new End(exitCode, reason, message, newAt, ran);
    }

    End after(Duration newRan) {
      return new End(exitCode, reason, message, at, newRan);
    }

    ContainerStateTerminated build() {
      return new ContainerStateTerminatedBuilder()
          .withExitCode(exitCode)
          .withReason(reason)
          .withMessage(message)
          .withStartedAt(ran == null ? null : at.minus(ran).toString())
          .withFinishedAt(at.toString())
          .build();
    }
  }

  static PersistentVolumeClaim claim(String phase) {
    return new PersistentVolumeClaimBuilder()
        .withNewMetadata()
        .withName("data-val")
        .endMetadata()
        .withNewSpec()
        .withVolumeName("pv-7")
        .endSpec()
        .withNewStatus()
        .withPhase(phase)
        .endStatus()
        .build();
  }

  static Event event(String kind, String reason, String message, Instant at) {
    String name =
        switch (kind) {
          case "Pod" -> "val-0";
          case "PersistentVolumeClaim" -> "data-val";
          default -> "val";
        };
    return new EventBuilder()
        .withNewInvolvedObject()
        .withKind(kind)
        .withName(name)
        .endInvolvedObject()
        .withReason(reason)
        .withMessage(message)
        .withLastTimestamp(at.toString())
        .build();
  }

  static Event ofUid(String uid, Event event) {
    return new EventBuilder(event).editInvolvedObject().withUid(uid).endInvolvedObject().build();
  }

  static Evidence of(Pod pod) {
    return Evidence.none().withPod(pod);
  }

  static Evidence of(Pod pod, Event... events) {
    return of(pod).withEvents(List.of(events));
  }

  private static ContainerStatusBuilder status(String container, int restarts) {
    return new ContainerStatusBuilder()
        .withName(container)
        .withImage("seid:" + container)
        .withReady(false)
        .withRestartCount(restarts);
  }
}
