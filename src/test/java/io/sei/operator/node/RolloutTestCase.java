package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.testkit.PodRecord;
import io.sei.operator.testkit.RequestLog;
import io.sei.operator.testkit.SidecarFaults;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Reads pods, plans, requests and events of rollouts. */
public abstract class RolloutTestCase extends NodeTestCase {

  public static final String MARK_READY = "mark-ready";

  /**
   * Creates the node with image A, waits until it runs, and only then gives it this progress
   * deadline: the start may take as long as the machine needs.
   */
  public SeiNode createRunning(int deadlineSeconds) {
    createRunning();
    patch("{'spec':{'progressDeadlineSeconds':%d}}".formatted(deadlineSeconds));
    return awaitUpToDate(A);
  }

  /** The images of all pods the node ever had, oldest first. */
  public List<String> images() {
    return kubelet.history(namespace, POD).stream().map(PodRecord::image).toList();
  }

  public String podUid() {
    return pod().getMetadata().getUid();
  }

  /** Returns the number of pods that the operator deleted; a refused delete is none. */
  public int podDeletes() {
    return (int)
        operator.requests().deleted().stream().filter(path -> path.contains("/pods/")).count();
  }

  public List<RequestLog.Request> requests(String method, String pathPart) {
    return operator
        .requests()
        .matching(request -> request.method().equals(method) && request.path().contains(pathPart));
  }

  public SidecarFaults sidecarFaults() {
    return sidecar.faults(namespace, NODE);
  }

  public int markReadyRuns() {
    return sidecar.executions(namespace, NODE, MARK_READY);
  }

  public TaskPlan plan() {
    return node().getStatus().plan();
  }

  /** The step the node's plan is at. */
  public String step() {
    return Optional.ofNullable(plan())
        .flatMap(TaskPlan::currentTask)
        .map(PlannedTask::type)
        .orElse("none");
  }

  public void awaitStep(String task) {
    eventually(() -> assertThat(step()).isEqualTo(task));
  }

  public void awaitStalled(Object reason) {
    eventually(() -> assertCondition(NodeConditionType.STALLED, ConditionStatus.TRUE, reason));
  }

  /** Waits until a condition has been what it is for longer than a progress deadline. */
  public void awaitPast(int deadlineSeconds, NodeConditionType type) {
    Instant deadline = condition(type).lastTransitionTime().plusSeconds(deadlineSeconds + 1);
    eventually(() -> assertThat(Instant.now()).isAfter(deadline));
  }

  /** Occurrences of an event, repetitions counted. */
  public int occurrences(String reason) {
    return events(reason).stream().mapToInt(Event::getCount).sum();
  }
}
