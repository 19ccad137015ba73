package io.sei.operator.task;

import static io.sei.operator.api.v1alpha1.NodeTaskConditionType.FAILED;
import static io.sei.operator.api.v1alpha1.NodeTaskConditionType.READY;
import static io.sei.operator.api.v1alpha1.NodeTaskConditionType.TARGET_READY;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeTaskKind;
import io.sei.operator.api.v1alpha1.NodeTaskOutputs;
import io.sei.operator.api.v1alpha1.NodeTaskPhase;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.api.v1alpha1.NodeTaskSubmission;
import io.sei.operator.api.v1alpha1.NodeTaskTransaction;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiNodeTaskStatus;
import io.sei.operator.base.Unreadable;
import io.sei.operator.chain.HttpChainClient;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.kube.StatusPatch;
import io.sei.operator.render.Annotations;
import io.sei.operator.sidecar.SidecarAddress;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarException;
import io.sei.operator.sidecar.SidecarTask;
import io.sei.operator.sidecar.TaskSubmitter;
import io.sei.operator.sidecar.TaskSubmitter.Submission;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out one step of a task, and records it: a submission before it is made. */
public final class TaskController {

  private static final Logger log = LoggerFactory.getLogger(TaskController.class);

  /** Interval while a task waits: its end causes no event. */
  private static final Duration WAITING = Duration.ofSeconds(5);

  /** A transaction is in a block within seconds, or not for a minute. */
  private static final Duration SOON = Duration.ofSeconds(1);

  private static final Duration FRESH = Duration.ofMinutes(1);

  private static final Duration LATER = Duration.ofSeconds(15);

  private final KubeApi api;
  private final Targets targets;
  private final SidecarClient sidecar;
  private final BlockSearch blocks;
  private final EventRecorder events;
  private final Clock clock;

  /**
   * Keeps nothing of a task but its status.
   *
   * @param obstacles reason for which a fleet has not granted a restart of seid; empty if it has
   *     yet to decide
   */
  public TaskController(
      KubeApi api,
      SidecarClient sidecar,
      HttpChainClient chain,
      Function<SeiNodeDeployment, Optional<String>> obstacles,
      EventRecorder events,
      Clock clock) {
    this.api = api;
    this.targets = new Targets(api, obstacles);
    this.sidecar = sidecar;
    this.blocks = new BlockSearch(chain, clock);
    this.events = events;
    this.clock = clock;
  }

  /**
   * Takes one step.
   *
   * @return when the next step is due if no event comes first; empty if none is
   */
  Optional<Duration> run(SeiNodeTask task, Context<SeiNodeTask> context) {
    return new Round(task, context, clock.instant().truncatedTo(ChronoUnit.SECONDS)).run();
  }

  /** Cancels the work of a deleted task at its sidecar, or its request to its node's fleet. */
  void gone(SeiNodeTask task) {
    blocks.end(task);
    SeiNodeTaskStatus status = task.getStatus();
    if (status == null || task.getSpec() == null || status.finished()) {
      return;
    }
    boolean isAtSidecar = status.task() != null && task.getSpec().kind().isOfSidecar();
    try {
      if (isAtSidecar) {
        targets
            .of(task)
            .filter(target -> target.lost(status.task()).isEmpty())
            .ifPresent(target -> sidecar.cancel(target.sidecar(task), TaskRules.id(task)));
      } else if (task.getSpec().kind() == NodeTaskKind.RESTART_SEID) {
        withdraw(task, targets.of(task));
      }
    } catch (RuntimeException e) {
      log.info(
          "SeiNodeTask {} was deleted; it may still be carried out: {}",
          task.getMetadata().getName(),
          e.getMessage());
    }
  }

  /**
   * Removes a task's request to its node's fleet; a conflict if the fleet has just granted it. A
   * request that the API server refuses to remove does not keep the task from its end: the fleet
   * grants no request of a task that has ended.
   */
  void withdraw(SeiNodeTask task, Optional<Target> target) {
    String key = Annotations.SEID_RESTART_REQUESTED;
    if (target.isEmpty() || Unreadable.isStub(target.get().node())) {
      return;
    }
    SeiNode node = target.get().node();
    if (!Annotations.has(node, key, TaskRules.id(task))) {
      return;
    }
    try {
      api.mergePatch(node, MetadataPatch.annotation(node, key, null));
    } catch (RefusedException e) {
      log.warn(
          "The request of SeiNodeTask {} stays at SeiNode {} until its fleet removes it: {}",
          task.getMetadata().getName(),
          node.getMetadata().getName(),
          e.getMessage());
    }
  }

  /** One reconcile of one task. */
  private final class Round {

    private final Context<SeiNodeTask> context;
    private final Instant now;
    private SeiNodeTask task;
    private SeiNodeTaskStatus status;
    private Optional<Target> target = Optional.empty();

    Round(SeiNodeTask task, Context<SeiNodeTask> context, Instant now) {
      this.task = task;
      this.context = context;
      this.now = now;
      SeiNodeTaskStatus stored =
          task.getStatus() == null ? SeiNodeTaskStatus.empty() : task.getStatus();
      this.status =
          stored.with(
              builder ->
                  builder
                      .observedGeneration(task.getMetadata().getGeneration())
                      .startedAt(stored.startedAt() == null ? now : stored.startedAt()));
    }

    Optional<Duration> run() {
      if (task.isMarkedForDeletion()) {
        gone(task);
        return Optional.empty();
      }
      if (Unreadable.isStub(task)) {
        return unreadable(Unreadable.of(task));
      }
      if (!status.finished()) {
        target = targets.of(task);
      }
      if (target.isPresent() && status.targetFirstObservedAt() == null) {
        status = status.withTargetFirstObservedAt(now);
      }
      try {
        return take(TaskRules.next(task, status, target, now));
      } catch (SidecarException e) {
        return awaited(NodeTaskReason.SIDECAR_UNREACHABLE, e.getMessage());
      }
    }

    /** Leaves the task alone until it can be read; its status records the submission. */
    private Optional<Duration> unreadable(Unreadable fields) {
      String message = "the operator leaves this task alone until it can read it: " + fields;
      events.record(task, ObjectEvent.warning(NodeTaskReason.INVALID_SPEC.toString(), message));
      if (fields.isOfSpecOnly() && !status.finished()) {
        status =
            status.with(
                TARGET_READY, ConditionStatus.FALSE, NodeTaskReason.INVALID_SPEC, message, now);
        write();
      }
      return Optional.empty();
    }

    private Optional<Duration> take(TaskStep step) {
      return switch (step) {
        case TaskStep.Rest rest -> rest.deletedIn();
        case TaskStep.Expire _ -> {
          api.delete(task, Propagation.BACKGROUND, true);
          yield Optional.empty();
        }
        case TaskStep.Wait wait -> awaited(wait.reason(), wait.message());
        case TaskStep.Fail fail -> end(new NodeTaskOutcome.Ended(fail.reason(), fail.message()));
        case TaskStep.Submit submit -> submit(submit.target(), submit.request());
        case TaskStep.Give give -> give(give.target(), give.work());
        case TaskStep.Done done -> {
          status = status.withOutputs(done.ended().outputs());
          yield end(done.ended());
        }
        case TaskStep.Look look -> submit(look.target(), look.request());
        case TaskStep.Cancel cancel -> cancel(cancel);
      };
    }

    private Optional<Duration> awaited(NodeTaskReason reason, String message) {
      if (status.task() != null && TaskRules.isOverdue(task, status.task(), now)) {
        return end(TaskRules.overdue(task));
      }
      if (status.task() == null && TaskRules.isOutOfPatience(task, status, now)) {
        return end(
            new NodeTaskOutcome.Ended(
                NodeTaskReason.TIMEOUT, TaskRules.outOfPatience(task, message)));
      }
      status =
          status
              .in(status.task() == null ? NodeTaskPhase.PENDING : NodeTaskPhase.RUNNING, now)
              .with(TARGET_READY, ConditionStatus.FALSE, reason, message, now);
      write();
      return Optional.of(WAITING);
    }

    private Optional<Duration> give(Target node, NodeWork work) {
      String id = TaskRules.id(task);
      if (work.isGranted(node, id)) {
        return change(node, work);
      }
      Optional<String> needs = work.needs();
      if (needs.isPresent() && !sidecar.knows(node.sidecar(task), needs.get())) {
        return end(unsupported(node, needs.get()));
      }
      Optional<String> request = work.request(node, id);
      if (request.isEmpty()) {
        return change(node, work);
      }
      target = Optional.of(node.withNode(api.mergePatch(node.node(), request.get())));
      take(TaskRules.next(task, status, target, now));
      return Optional.of(SOON);
    }

    /** Changes the node. A crash before this is recorded repeats the change. */
    private Optional<Duration> change(Target target, NodeWork work) {
      String id = TaskRules.id(task);
      if (status.task() == null) {
        status =
            status.withTask(
                target
                    .submission(id)
                    .with(builder -> builder.status(NodeTaskPhase.RUNNING).submittedAt(now)));
        write();
      }
      Target given =
          work.patch(target, id)
              .map(patch -> target.withNode(api.mergePatch(target.node(), patch)))
              .orElse(target);
      status = status.withTask(status.task().withExecutionStartedAt(now));
      return take(TaskRules.next(task, status, Optional.of(given), now));
    }

    /** Submits the task by the policy of its type, and acts on what its sidecar knows of it. */
    private Optional<Duration> submit(Target target, TaskRequest.Submit request) {
      SidecarAddress address = target.sidecar(task);
      boolean isRecorded = status.task() != null;
      for (String type : isRecorded ? List.<String>of() : request.needs()) {
        if (!sidecar.knows(address, type)) {
          return end(unsupported(target, type));
        }
      }
      var submitter =
          new TaskSubmitter(
              sidecar,
              address,
              TaskRules.id(task),
              request.type(),
              request.params(),
              () -> recordSubmission(target));
      Submission submission =
          request.once()
              ? submitter.atMostOnce(isRecorded)
              : submitter.repeatable(known -> isMissing(request, known));
      return switch (submission) {
        case Submission.None none -> {
          recordSubmission(target);
          yield answered(target, request, none.task());
        }
        case Submission.Accepted _ -> running();
        case Submission.Failed failed -> unsent(target, request, failed.cause());
      };
    }

    private boolean isMissing(TaskRequest.Submit request, Optional<SidecarTask> known) {
      return TaskRules.answered(task.getSpec().kind(), request, known)
          instanceof NodeTaskOutcome.Again;
    }

    /** Records a submission before it is made, or that of a task whose status was lost. */
    private void recordSubmission(Target target) {
      if (status.task() == null) {
        record(
            target
                .submission(TaskRules.id(task))
                .with(task -> task.status(NodeTaskPhase.PENDING).submittedAt(now)));
        write();
      }
    }

    private Optional<Duration> unsent(
        Target target, TaskRequest.Submit request, SidecarException e) {
      return switch (e.kind()) {
        case UNSUPPORTED -> end(unsupported(target, request.type()));
        case REJECTED ->
            end(
                new NodeTaskOutcome.Ended(
                    NodeTaskReason.TASK_TERMINAL_ERROR,
                    "the sidecar refuses %s: %s".formatted(request.type(), e.getMessage())));
        default -> {
          if (!TaskRules.mayHaveArrived(e.kind())) {
            status = status.withTask(null);
          }
          throw e;
        }
      };
    }

    /** Cancels a task that the sidecar carries out; any other one ends by the sidecar's answer. */
    private Optional<Duration> cancel(TaskStep.Cancel step) {
      SidecarAddress address = step.target().sidecar(task);
      String id = TaskRules.id(task);
      Optional<SidecarTask> known = sidecar.lookup(address, id);
      if (TaskRules.answeredOnce(task.getSpec().kind(), step.request(), known)
          instanceof NodeTaskOutcome.Ended) {
        return answered(step.target(), step.request(), known);
      }
      if (!sidecar.cancel(address, id)) {
        return awaited(NodeTaskReason.SIDECAR_UNREACHABLE, "the sidecar has yet to cancel it");
      }
      return end(
          new NodeTaskOutcome.Ended(
              NodeTaskReason.TASK_FAILED,
              "cancelled before seid was ended: %s; create another task once it is not"
                  .formatted(step.why())));
    }

    private Optional<Duration> answered(
        Target target, TaskRequest.Submit request, Optional<SidecarTask> known) {
      return switch (TaskRules.answeredOnce(task.getSpec().kind(), request, known)) {
        case NodeTaskOutcome.Ended ended when TaskRules.isInDoubt(ended) ->
            settle(target, known.orElseThrow(), ended);
        case NodeTaskOutcome.Ended ended -> end(ended);
        case NodeTaskOutcome.Running _ when TaskRules.isOverdue(task, status.task(), now) -> {
          if (!task.getSpec().kind().isTransaction()) {
            gone(task);
          }
          yield end(TaskRules.overdue(task));
        }
        case NodeTaskOutcome.Running _ -> running();
      };
    }

    /** Searches blocks for a transaction that the sidecar did not find, and submits nothing. */
    private Optional<Duration> settle(
        Target target, SidecarTask known, NodeTaskOutcome.Ended doubtful) {
      String txHash = doubtful.tx().orElseThrow().txHash();
      return switch (blocks.poll(task, target, txHash)) {
        case BlockSearch.Result.Found found ->
            end(TaskRules.found(target.name(), known, found.transaction()));
        case BlockSearch.Result.NotFound search ->
            end(TaskRules.notFound(task.getSpec().kind(), known, search.why()));
        case BlockSearch.Result.Searching _ when TaskRules.isOverdue(task, status.task(), now) ->
            end(doubtful);
        case BlockSearch.Result.Searching _ -> {
          running();
          yield Optional.of(SOON);
        }
      };
    }

    private Optional<Duration> running() {
      NodeTaskSubmission sent = status.task();
      Instant since = sent.executionStartedAt() == null ? now : sent.executionStartedAt();
      record(sent.with(builder -> builder.status(NodeTaskPhase.RUNNING).executionStartedAt(since)));
      write();
      return Optional.of(now.isBefore(since.plus(FRESH)) ? SOON : LATER);
    }

    private void record(NodeTaskSubmission submission) {
      status =
          status
              .in(NodeTaskPhase.RUNNING, now)
              .withTask(submission)
              .with(
                  TARGET_READY,
                  ConditionStatus.TRUE,
                  NodeTaskReason.PHASE_MET,
                  "the sidecar of SeiNode %s can be asked"
                      .formatted(task.getSpec().target().nodeRef().name()),
                  now);
    }

    private Optional<Duration> end(NodeTaskOutcome.Ended ended) {
      blocks.end(task);
      withdraw(task, target);
      NodeTaskPhase phase = ended.well() ? NodeTaskPhase.COMPLETE : NodeTaskPhase.FAILED;
      status =
          status
              .in(phase, now)
              .with(
                  ended.well() ? READY : FAILED,
                  ConditionStatus.TRUE,
                  ended.reason(),
                  ended.message(),
                  now);
      if (status.task() != null) {
        String err = ended.well() ? null : ended.message();
        status = status.withTask(status.task().with(builder -> builder.status(phase).err(err)));
      }
      ended.tx().ifPresent(this::produced);
      write();
      String reason = ended.reason().toString();
      events.record(
          task,
          ended.well()
              ? ObjectEvent.normal(reason, ended.message())
              : ObjectEvent.warning(reason, ended.message()));
      return Optional.ofNullable(task.getSpec().ttlSecondsAfterFinished()).map(Duration::ofSeconds);
    }

    private void produced(NodeTaskTransaction tx) {
      status = status.withOutputs(NodeTaskOutputs.of(task.getSpec().kind(), tx));
    }

    private void write() {
      status = status.concluded(now);
      task = StatusPatch.write(task, status, context);
    }
  }

  private static NodeTaskOutcome.Ended unsupported(Target target, String type) {
    return new NodeTaskOutcome.Ended(
        NodeTaskReason.SIDECAR_UNSUPPORTED,
        "sidecar image %s %s; set spec.sidecar.image of SeiNode %s to a newer one and create another task"
            .formatted(target.sidecarImage(), TaskRequest.lack(type), target.name()));
  }
}
