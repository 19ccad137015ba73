package io.sei.operator.task;

import io.sei.operator.api.v1alpha1.NodeTaskKind;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.api.v1alpha1.NodeTaskSubmission;
import io.sei.operator.api.v1alpha1.NodeTaskTransaction;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiNodeTaskSpec;
import io.sei.operator.api.v1alpha1.SeiNodeTaskStatus;
import io.sei.operator.base.Unreadable;
import io.sei.operator.chain.TransactionResult;
import io.sei.operator.plan.TaskIds;
import io.sei.operator.sidecar.SidecarException;
import io.sei.operator.sidecar.SidecarTask;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Decides about tasks. What may have an effect each time it is submitted is submitted once: whether
 * a sidecar that does not know of it has ever had it, nobody can say.
 */
final class TaskRules {

  private TaskRules() {}

  /** The id of the task at the sidecar; one that was adopted has it already. */
  static String id(SeiNodeTask task) {
    return TaskIds.of(task.getMetadata().getUid(), task.getSpec().kind().toString(), 0);
  }

  /**
   * What comes next.
   *
   * @param status with the time the task was first seen
   * @param target empty if there is no such node
   */
  static TaskStep next(
      SeiNodeTask task, SeiNodeTaskStatus status, Optional<Target> target, Instant now) {
    if (status.finished()) {
      return afterwards(task, status, now);
    }
    if (target.isPresent() && Unreadable.isStub(target.get().node())) {
      return new TaskStep.Wait(
          NodeTaskReason.PHASE_NOT_MET,
          "SeiNode %s cannot be read: %s"
              .formatted(target.get().name(), Unreadable.of(target.get().node())));
    }
    return status.task() == null
        ? before(task, status, target, now)
        : meanwhile(task, status.task(), target);
  }

  private static TaskStep afterwards(SeiNodeTask task, SeiNodeTaskStatus status, Instant now) {
    Integer ttl = task.getSpec().ttlSecondsAfterFinished();
    if (ttl == null || status.phaseTransitionTime() == null) {
      return new TaskStep.Rest(Optional.empty());
    }
    Duration left = Duration.between(now, status.phaseTransitionTime().plusSeconds(ttl));
    return left.isPositive() ? new TaskStep.Rest(Optional.of(left)) : new TaskStep.Expire();
  }

  private static TaskStep before(
      SeiNodeTask task, SeiNodeTaskStatus status, Optional<Target> target, Instant now) {
    if (target.isPresent()
        && TaskRequest.of(task, target.get().node()) instanceof TaskRequest.Refuse refuse) {
      return new TaskStep.Fail(refuse.reason(), refuse.message());
    }
    Optional<NodeWork.Refusal> refusal = target.flatMap(found -> refusal(task, found));
    if (refusal.isPresent()) {
      return refused(refusal.get());
    }
    Optional<String> obstacle =
        obstacle(task, target).or(() -> obstacleOfKind(task, target.orElseThrow()));
    if (obstacle.isEmpty()) {
      return start(task, target.orElseThrow());
    }
    return isOutOfPatience(task, status, now)
        ? new TaskStep.Fail(
            target.isEmpty() ? NodeTaskReason.TARGET_RESOLVE_FAILED : NodeTaskReason.TIMEOUT,
            outOfPatience(task, obstacle.get()))
        : new TaskStep.Wait(NodeTaskReason.PHASE_NOT_MET, obstacle.get());
  }

  /** The reason why the task can never begin at the node; empty if it can. */
  private static Optional<NodeWork.Refusal> refusal(SeiNodeTask task, Target target) {
    return switch (TaskRequest.of(task, target.node())) {
      case TaskRequest.OfNode request -> request.work().refusal(target);
      case TaskRequest.Submit request when request.endsSeid() -> SeidGuard.refusal(target);
      case TaskRequest.Submit _, TaskRequest.Refuse _ -> Optional.empty();
    };
  }

  /** The reason why this kind of task may not begin at the node yet; empty if it may. */
  private static Optional<String> obstacleOfKind(SeiNodeTask task, Target target) {
    return switch (TaskRequest.of(task, target.node())) {
      case TaskRequest.OfNode request -> request.work().obstacle(target, id(task));
      case TaskRequest.Submit request when request.endsSeid() -> SeidGuard.obstacle(target);
      case TaskRequest.Submit _, TaskRequest.Refuse _ -> Optional.empty();
    };
  }

  private static TaskStep start(SeiNodeTask task, Target target) {
    return work(task, target)
        .<TaskStep>map(it -> new TaskStep.Give(target, it))
        .orElseGet(() -> new TaskStep.Submit(target, request(task, target)));
  }

  private static Optional<NodeWork> work(SeiNodeTask task, Target target) {
    return TaskRequest.of(task, target.node()) instanceof TaskRequest.OfNode it
        ? Optional.of(it.work())
        : Optional.empty();
  }

  private static TaskStep.Fail refused(NodeWork.Refusal refusal) {
    return new TaskStep.Fail(refusal.reason(), refusal.message());
  }

  /** Whether a task that was not submitted by now is not submitted any more. */
  static boolean isOutOfPatience(SeiNodeTask task, SeiNodeTaskStatus status, Instant now) {
    return status.startedAt() != null
        && now.isAfter(status.startedAt().plus(task.getSpec().target().patience()));
  }

  /** The same in words. */
  static String outOfPatience(SeiNodeTask task, String obstacle) {
    return "%s; nothing was submitted within %s (spec.target.requirePhaseTimeout). Create another task"
        .formatted(obstacle, task.getSpec().target().patience());
  }

  private static Optional<String> obstacle(SeiNodeTask task, Optional<Target> target) {
    SeiNodeTaskSpec spec = task.getSpec();
    if (target.isEmpty()) {
      return Optional.of(
          "there is no SeiNode %s in the namespace".formatted(spec.target().nodeRef().name()));
    }
    Target node = target.get();
    if (node.phase() != spec.target().phase()) {
      return Optional.of(
          "SeiNode %s is %s, not %s".formatted(node.name(), node.phase(), spec.target().phase()));
    }
    if (node.pod().isEmpty()) {
      return Optional.of("SeiNode %s has no pod".formatted(node.name()));
    }
    return node.claimUid().isEmpty()
        ? Optional.of("the pod of SeiNode %s has no claim".formatted(node.name()))
        : Optional.empty();
  }

  private static TaskStep meanwhile(
      SeiNodeTask task, NodeTaskSubmission submission, Optional<Target> target) {
    Optional<NodeWork> work = target.filter(it -> it.is(submission)).flatMap(it -> work(task, it));
    if (work.isPresent()) {
      return ofNode(task, work.get(), submission, target.orElseThrow());
    }
    Optional<String> lost =
        target.isEmpty()
            ? Optional.of("SeiNode %s is gone".formatted(task.getSpec().target().nodeRef().name()))
            : target.get().lost(submission);
    if (lost.isPresent()) {
      TaskOutcome.Ended ended = undetermined(task.getSpec().kind(), lost.get(), Optional.empty());
      return new TaskStep.Fail(ended.reason(), ended.message());
    }
    Target node = target.orElseThrow();
    if (TaskRequest.of(task, node.node()) instanceof TaskRequest.Refuse refuse) {
      return new TaskStep.Fail(refuse.reason(), refuse.message());
    }
    if (node.pod().isEmpty()) {
      return new TaskStep.Wait(
          NodeTaskReason.SIDECAR_UNREACHABLE, "SeiNode %s has no pod".formatted(node.name()));
    }
    TaskRequest.Submit request = request(task, node);
    Optional<String> risk = request.endsSeid() ? SeidGuard.dataAtRisk(node) : Optional.empty();
    return risk.isPresent()
        ? new TaskStep.Cancel(node, request, risk.get())
        : new TaskStep.Look(node, request);
  }

  private static TaskStep ofNode(
      SeiNodeTask task, NodeWork work, NodeTaskSubmission submission, Target target) {
    Optional<NodeWork.Refusal> refusal =
        submission.executionStartedAt() == null ? work.refusal(target) : Optional.empty();
    if (refusal.isPresent()) {
      return refused(refusal.get());
    }
    if (submission.executionStartedAt() == null) {
      return work.obstacle(target, id(task))
          .<TaskStep>map(why -> new TaskStep.Wait(NodeTaskReason.PHASE_NOT_MET, why))
          .orElseGet(() -> new TaskStep.Give(target, work));
    }
    return switch (work.progress(target, id(task))) {
      case NodeWork.Progress.Pending it ->
          new TaskStep.Wait(NodeTaskReason.PHASE_NOT_MET, it.why());
      case NodeWork.Progress.Done it -> new TaskStep.Done(it.message(), it.outputs());
      case NodeWork.Progress.Failed it -> new TaskStep.Fail(NodeTaskReason.TASK_FAILED, it.why());
    };
  }

  private static TaskRequest.Submit request(SeiNodeTask task, Target target) {
    if (TaskRequest.of(task, target.node()) instanceof TaskRequest.Submit submit) {
      return submit;
    }
    throw new IllegalStateException("a refused task is not submitted");
  }

  /** Whether a submission that ended so may have reached the sidecar. */
  static boolean mayHaveArrived(SidecarException.Kind kind) {
    return switch (kind) {
      case UNREACHABLE, BUSY -> true;
      case WITHHELD, BLIND, FORBIDDEN, UNSUPPORTED, REJECTED -> false;
    };
  }

  /** Whether the sidecar has had the task for longer than it was given. */
  static boolean isOverdue(SeiNodeTask task, NodeTaskSubmission submission, Instant now) {
    Integer timeout = task.getSpec().timeoutSeconds();
    Instant since =
        submission.executionStartedAt() == null
            ? submission.submittedAt()
            : submission.executionStartedAt();
    return timeout != null
        && timeout > 0
        && since != null
        && now.isAfter(since.plusSeconds(timeout));
  }

  /** What an overdue task ends with. */
  static TaskOutcome.Ended overdue(SeiNodeTask task) {
    NodeTaskKind kind = task.getSpec().kind();
    String late =
        "not finished within %d seconds (spec.timeoutSeconds)"
            .formatted(task.getSpec().timeoutSeconds());
    return kind.isTransaction()
        ? undetermined(kind, late, Optional.empty())
        : new TaskOutcome.Ended(false, NodeTaskReason.TIMEOUT, late, Optional.empty());
  }

  /**
   * What the sidecar's answer means for a task that was recorded as submitted.
   *
   * @param known empty if it knows no task of that id
   */
  static TaskOutcome answered(
      NodeTaskKind kind, TaskRequest.Submit request, Optional<SidecarTask> known) {
    Optional<SidecarTask> task = known.filter(it -> it.type().equals(request.type()));
    if (task.isEmpty()) {
      return request.once()
          ? undetermined(kind, "the sidecar does not know of it", Optional.empty())
          : new TaskOutcome.Again();
    }
    return switch (task.get().status()) {
      case RUNNING -> new TaskOutcome.Running();
      case COMPLETED ->
          kind.isTransaction()
              ? included(kind, task.get())
              : new TaskOutcome.Ended(
                  true, NodeTaskReason.TASK_COMPLETE, "the sidecar has done it", Optional.empty());
      case FAILED ->
          kind.isTransaction() && task.get().result().containsKey("inclusionStatus")
              ? included(kind, task.get())
              : new TaskOutcome.Ended(
                  false,
                  NodeTaskReason.TASK_FAILED,
                  "the sidecar's %s failed: %s".formatted(request.type(), task.get().error()),
                  transaction(task.get().result()));
    };
  }

  private static TaskOutcome included(NodeTaskKind kind, SidecarTask task) {
    Map<String, String> result = task.result();
    Optional<NodeTaskTransaction> tx = transaction(result);
    return switch (result.getOrDefault("inclusionStatus", "")) {
      case "committed_ok" ->
          new TaskOutcome.Ended(
              true,
              NodeTaskReason.CONFIRMED,
              "transaction %s is in block %s".formatted(result.get("txHash"), result.get("height")),
              tx);
      case "committed_failed" ->
          new TaskOutcome.Ended(
              false,
              NodeTaskReason.TX_FAILED,
              "transaction %s failed on the chain with code %s: %s"
                  .formatted(result.get("txHash"), result.get("code"), result.get("rawLog")),
              tx);
      case "" ->
          undetermined(kind, "the sidecar does not say whether it is in a block" + words(task), tx);
      default ->
          undetermined(kind, "its inclusion is " + result.get("inclusionStatus") + words(task), tx);
    };
  }

  private static String words(SidecarTask task) {
    return task.error().isEmpty() ? "" : " (the sidecar: %s)".formatted(task.error());
  }

  /** Whether the transaction has a hash by which the blocks of the chain may have it. */
  static boolean isInDoubt(TaskOutcome.Ended ended) {
    return ended.reason() == NodeTaskReason.INCLUSION_UNDETERMINED && ended.tx().isPresent();
  }

  /** The end of a task whose transaction its sidecar did not find, but a block of its node has. */
  static TaskOutcome.Ended found(String node, SidecarTask task, TransactionResult transaction) {
    String txHash = task.result().get("txHash");
    String where =
        "in block %d of SeiNode %s, found there by its hash%s"
            .formatted(transaction.height(), node, words(task));
    var tx =
        Optional.of(
            new NodeTaskTransaction(
                txHash, transaction.height(), transaction.proposalId().orElse(null)));
    return transaction.code() == 0
        ? new TaskOutcome.Ended(
            true, NodeTaskReason.CONFIRMED, "transaction %s is %s".formatted(txHash, where), tx)
        : new TaskOutcome.Ended(
            false,
            NodeTaskReason.TX_FAILED,
            "transaction %s is %s, and failed with code %d: %s"
                .formatted(txHash, where, transaction.code(), transaction.log()),
            tx);
  }

  /** The end of a task whose transaction neither its sidecar found nor a search of blocks. */
  static TaskOutcome.Ended notFound(NodeTaskKind kind, SidecarTask task, String why) {
    return undetermined(kind, why + words(task), transaction(task.result()));
  }

  private static TaskOutcome.Ended undetermined(
      NodeTaskKind kind, String why, Optional<NodeTaskTransaction> tx) {
    if (!kind.isTransaction()) {
      return new TaskOutcome.Ended(
          false, NodeTaskReason.TASK_FAILED, why + "; it is not submitted again", tx);
    }
    String hash = tx.map(NodeTaskTransaction::txHash).map(it -> " " + it).orElse("");
    return new TaskOutcome.Ended(
        false,
        NodeTaskReason.INCLUSION_UNDETERMINED,
        "%s: the transaction%s may be on the chain or not, and is not submitted again. Look it up there before you create another task"
            .formatted(why, hash),
        tx);
  }

  private static Optional<NodeTaskTransaction> transaction(Map<String, String> result) {
    return Optional.ofNullable(result.get("txHash"))
        .filter(hash -> !hash.isEmpty())
        .map(
            hash ->
                new NodeTaskTransaction(
                    hash, number(result.get("height")), number(result.get("proposalId"))));
  }

  /** Null for what is no number above 0. */
  private static Long number(String word) {
    return word != null && word.matches("[1-9][0-9]{0,17}") ? Long.valueOf(word) : null;
  }
}
