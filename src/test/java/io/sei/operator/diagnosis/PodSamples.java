package io.sei.operator.diagnosis;

import static io.sei.operator.testkit.samples.PodSample.aPod;
import static io.sei.operator.testkit.samples.Samples.yaml;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.testkit.samples.ContainerSample;
import io.sei.operator.testkit.samples.End;
import io.sei.operator.testkit.samples.PodSample;
import java.time.Instant;
import java.util.List;

/** Pods, claims and events as a cluster shows them. */
final class PodSamples {

  static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
  static final String NODE = "worker-1";

  private PodSamples() {}

  /** A pod bound to {@link #NODE} with these container statuses. */
  static Pod pod(ContainerStatus... statuses) {
    return aPod("val-0")
        .namespace("sei")
        .uid("pod-uid")
        .on(NODE)
        .phase("Running")
        .statuses(statuses)
        .build();
  }

  static Pod withInit(Pod pod, ContainerStatus... statuses) {
    return aPod(pod).initStatuses(statuses).build();
  }

  /** A pod that the API server asked to be gone at {@code due}. */
  static Pod terminating(Pod pod, Instant due) {
    return aPod(pod).terminating(due).build();
  }

  /** A pod without a place; {@code words} are the scheduler's, if any. */
  static Pod unscheduled(String words) {
    PodSample pod = aPod(pod()).on(null).phase("Pending");
    return words == null
        ? pod.build()
        : pod.condition("PodScheduled", "False", "Unschedulable", words).build();
  }

  static Pod ready(Pod pod) {
    return aPod(pod).ready().build();
  }

  static ContainerStatus waiting(String container, String reason, String message) {
    return status(container, 0).waiting(reason, message).build();
  }

  static ContainerStatus running(String container) {
    return status(container, 0).ready().imageId("sha256:" + container).running().build();
  }

  /** A container in CrashLoopBackOff. */
  static ContainerStatus backOff(String container, int restarts, End end) {
    return status(container, restarts).waiting("CrashLoopBackOff").lastEnd(dated(end)).build();
  }

  /** A container that has ended and was not started again. */
  static ContainerStatus ended(String container, int restarts, End end) {
    return status(container, restarts).ended(dated(end)).build();
  }

  /** A container that is up again after an end, but not ready. */
  static ContainerStatus upAgain(String container, int restarts, End end) {
    return status(container, restarts).running().lastEnd(dated(end)).build();
  }

  /** A container that has been up again since a moment, and ready. */
  static ContainerStatus readyAgain(String container, int restarts, End end, Instant since) {
    return status(container, restarts).ready().running(since).lastEnd(dated(end)).build();
  }

  private static End dated(End end) {
    return end.at() == null ? end.at(NOW.minusSeconds(30)) : end;
  }

  static PersistentVolumeClaim claim(String phase) {
    return yaml(
        PersistentVolumeClaim.class,
        """
        metadata: {name: data-val}
        spec: {volumeName: pv-7}
        status: {phase: %s}
        """,
        phase);
  }

  static Event event(String kind, String reason, String message, Instant at) {
    String name =
        switch (kind) {
          case "Pod" -> "val-0";
          case "PersistentVolumeClaim" -> "data-val";
          default -> "val";
        };
    return new EventBuilder(yaml(Event.class, "involvedObject: {kind: %s, name: %s}", kind, name))
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

  private static ContainerSample status(String container, int restarts) {
    return ContainerSample.named(container).image("seid:" + container).restarts(restarts);
  }
}
