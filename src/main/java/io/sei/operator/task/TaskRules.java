package io.sei.operator.task;

import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeTaskKind;
import io.sei.operator.api.v1alpha1.NodeTaskReason;
import io.sei.operator.api.v1alpha1.NodeTaskSubmission;
import io.sei.operator.api.v1alpha1.NodeTaskTransaction;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
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
 * Decides about tasks. A task that may have an effect each time it is submitted is submitted once:
 * a sidecar that does not know of a task may have had it before.
 */
final class TaskRules {

  private TaskRules() {}

  /** The id of the task at the sidecar; one that was adopted has it already. */
  static String id(SeiNodeTask task) {
    return TaskIds.of(task.getMetadata().getUid(), task.getSpec().kind().toString(), 0);
  }

  /**
   * The next step of a task.
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
    if (target.isEmpty()) {
      String name = task.getSpec().target().nodeRef().name();
      String missing = "there is no SeiNode %s in the namespace".formatted(name);
      return waitFor(missing, NodeTaskReason.TARGET_RESOLVE_FAILED, task, status, now);
    }
    Target node = target.get();
    TaskRequest request = TaskRequest.of(task, node.node());
    if (request instanceof TaskRequest.OfNode(NodeWork work) && work.isGranted(node, id(task))) {
      return new TaskStep.Give(node, work);
    }
    Optional<NodeTaskOutcome.Ended> refusal = refusal(request, node);
    if (refusal.isPresent()) {
      return new TaskStep.Fail(refusal.get());
    }
    Optional<String> obstacle = obstacle(task, node).or(() -> obstacle(task, request, node));
    if (obstacle.isPresent()) {
      return waitFor(obstacle.get(), NodeTaskReason.TIMEOUT, task, status, now);
    }
    return request instanceof TaskRequest.Submit submit
        ? new TaskStep.Submit(node, submit)
        : new TaskStep.Give(node, ((TaskRequest.OfNode) request).work());
  }

  /**
   * Waits as long as the task has patience.
   *
   * @param late reason of a task that has none left
   */
  private static TaskStep waitFor(
      String obstacle,
      NodeTaskReason late,
      SeiNodeTask task,
      SeiNodeTaskStatus status,
      Instant now) {
    return isOutOfPatience(task, status, now)
        ? new TaskStep.Fail(late, outOfPatience(task, obstacle))
        : new TaskStep.Wait(obstacle);
  }

  /** The end of a task that can never begin at the node; empty if it can. */
  private static Optional<NodeTaskOutcome.Ended> refusal(TaskRequest request, Target target) {
    return switch (request) {
      case TaskRequest.Refuse refuse ->
          Optional.of(new NodeTaskOutcome.Ended(refuse.reason(), refuse.message()));
      case TaskRequest.OfNode ofNode -> ofNode.work().refusal(target);
      case TaskRequest.Submit submit ->
          submit.endsSeid() ? SeidGuard.refusal(target) : Optional.empty();
    };
  }

  /** Reason for beginning this kind of task later; empty if it may begin at the node now. */
  private static Optional<String> obstacle(SeiNodeTask task, TaskRequest request, Target target) {
    return switch (request) {
      case TaskRequest.OfNode ofNode -> ofNode.work().obstacle(target, id(task));
      case TaskRequest.Submit submit when submit.endsSeid() -> SeidGuard.obstacle(target);
      case TaskRequest.Submit _, TaskRequest.Refuse _ -> Optional.empty();
    };
  }

  /** Returns whether a task that was not submitted by now is not submitted any more. */
  static boolean isOutOfPatience(SeiNodeTask task, SeiNodeTaskStatus status, Instant now) {
    return status.startedAt() != null
        && now.isAfter(status.startedAt().plus(task.getSpec().target().patience()));
  }

  /** Message of a task that was not submitted in time. */
  static String outOfPatience(SeiNodeTask task, String obstacle) {
    return "%s; nothing was submitted within %s (spec.target.requirePhaseTimeout). Create another task"
        .formatted(obstacle, task.getSpec().target().patience());
  }

  /** Reason for which no kind of task begins at the node yet; empty if there is none. */
  private static Optional<String> obstacle(SeiNodeTask task, Target node) {
    NodePhase phase = task.getSpec().target().phase();
    if (node.phase() != phase) {
      return Optional.of("SeiNode %s is %s, not %s".formatted(node.name(), node.phase(), phase));
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
    if (target.isEmpty()) {
      return lost(task, "SeiNode %s is gone".formatted(task.getSpec().target().nodeRef().name()));
    }
    Target node = target.get();
    TaskRequest request = TaskRequest.of(task, node.node());
    if (request instanceof TaskRequest.OfNode ofNode && node.is(submission)) {
      return ofNode(task, ofNode.work(), submission, node);
    }
    Optional<String> lost = node.lost(submission);
    if (lost.isPresent()) {
      return lost(task, lost.get());
    }
    if (!(request instanceof TaskRequest.Submit submit)) {
      return new TaskStep.Fail(refusal(request, node).orElseThrow());
    }
    if (node.pod().isEmpty()) {
      return new TaskStep.Wait(
          NodeTaskReason.SIDECAR_UNREACHABLE, "SeiNode %s has no pod".formatted(node.name()));
    }
    Optional<String> risk = submit.endsSeid() ? SeidGuard.dataAtRisk(node) : Optional.empty();
    return risk.isPresent()
        ? new TaskStep.Cancel(node, submit, risk.get())
        : new TaskStep.Look(node, submit);
  }

  private static TaskStep lost(SeiNodeTask task, String why) {
    return new TaskStep.Fail(undetermined(task.getSpec().kind(), why, Optional.empty()));
  }

  private static TaskStep ofNode(
      SeiNodeTask task, NodeWork work, NodeTaskSubmission submission, Target target) {
    if (submission.executionStartedAt() != null) {
      return switch (work.progress(target, id(task))) {
        case NodeTaskOutcome.Running running -> new TaskStep.Wait(running.message());
        case NodeTaskOutcome.Ended ended ->
            ended.well() ? new TaskStep.Done(ended) : new TaskStep.Fail(ended);
      };
    }
    Optional<NodeTaskOutcome.Ended> refusal = work.refusal(target);
    if (refusal.isPresent()) {
      return new TaskStep.Fail(refusal.get());
    }
    Optional<String> obstacle = work.obstacle(target, id(task));
    return obstacle.isPresent()
        ? new TaskStep.Wait(obstacle.get())
        : new TaskStep.Give(target, work);
  }

  /** Returns whether a submission that ended so may have reached the sidecar. */
  static boolean mayHaveArrived(SidecarException.Kind kind) {
    return switch (kind) {
      case UNREACHABLE, BUSY -> true;
      case WITHHELD, BLIND, FORBIDDEN, UNSUPPORTED, REJECTED -> false;
    };
  }

  /** Returns whether the sidecar has had the task for longer than it was given. */
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

  /** Returns the outcome of an overdue task. */
  static NodeTaskOutcome.Ended overdue(SeiNodeTask task) {
    NodeTaskKind kind = task.getSpec().kind();
    String late =
        "not finished within %d seconds (spec.timeoutSeconds)"
            .formatted(task.getSpec().timeoutSeconds());
    return kind.isTransaction()
        ? undetermined(kind, late, Optional.empty())
        : new NodeTaskOutcome.Ended(NodeTaskReason.TIMEOUT, late);
  }

  /**
   * Outcome of a task by what its sidecar knows of it.
   *
   * @param known empty if the sidecar knows no task of that id
   */
  static NodeTaskOutcome answered(
      NodeTaskKind kind, TaskRequest.Submit request, Optional<SidecarTask> known) {
    boolean isMissing = known.filter(task -> task.type().equals(request.type())).isEmpty();
    return isMissing && !request.once()
        ? new NodeTaskOutcome.Again()
        : answeredOnce(kind, request, known);
  }

  /** Outcome of a task that is not submitted again. */
  static NodeTaskOutcome.Once answeredOnce(
      NodeTaskKind kind, TaskRequest.Submit request, Optional<SidecarTask> known) {
    Optional<SidecarTask> task = known.filter(other -> other.type().equals(request.type()));
    if (task.isEmpty()) {
      return undetermined(kind, "the sidecar does not know of it", Optional.empty());
    }
    return switch (task.get().status()) {
      case RUNNING -> new NodeTaskOutcome.Running("the sidecar is carrying it out");
      case COMPLETED ->
          kind.isTransaction()
              ? included(kind, task.get())
              : new NodeTaskOutcome.Ended(
                  true, NodeTaskReason.TASK_COMPLETE, "the sidecar has done it", Optional.empty());
      case FAILED ->
          kind.isTransaction() && task.get().result().containsKey("inclusionStatus")
              ? included(kind, task.get())
              : new NodeTaskOutcome.Ended(
                  false,
                  NodeTaskReason.TASK_FAILED,
                  "the sidecar's %s failed: %s".formatted(request.type(), task.get().error()),
                  transaction(task.get().result()));
    };
  }

  private static NodeTaskOutcome.Once included(NodeTaskKind kind, SidecarTask task) {
    Map<String, String> result = task.result();
    Optional<NodeTaskTransaction> tx = transaction(result);
    return switch (result.getOrDefault("inclusionStatus", "")) {
      case "committed_ok" ->
          new NodeTaskOutcome.Ended(
              true,
              NodeTaskReason.CONFIRMED,
              "transaction %s is in block %s".formatted(result.get("txHash"), result.get("height")),
              tx);
      case "committed_failed" ->
          new NodeTaskOutcome.Ended(
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

  /** Returns whether the transaction has a hash by which the blocks of the chain may have it. */
  static boolean isInDoubt(NodeTaskOutcome.Ended ended) {
    return ended.reason() == NodeTaskReason.INCLUSION_UNDETERMINED && ended.tx().isPresent();
  }

  /** The end of a task whose transaction its sidecar did not find, but a block of its node has. */
  static NodeTaskOutcome.Ended found(String node, SidecarTask task, TransactionResult transaction) {
    String txHash = task.result().get("txHash");
    String where =
        "in block %d of SeiNode %s, found there by its hash%s"
            .formatted(transaction.height(), node, words(task));
    var tx =
        Optional.of(
            new NodeTaskTransaction(
                txHash, transaction.height(), transaction.proposalId().orElse(null)));
    return transaction.code() == 0
        ? new NodeTaskOutcome.Ended(
            true, NodeTaskReason.CONFIRMED, "transaction %s is %s".formatted(txHash, where), tx)
        : new NodeTaskOutcome.Ended(
            false,
            NodeTaskReason.TX_FAILED,
            "transaction %s is %s, and failed with code %d: %s"
                .formatted(txHash, where, transaction.code(), transaction.log()),
            tx);
  }

  /** The end of a task whose transaction neither its sidecar found nor a search of blocks. */
  static NodeTaskOutcome.Ended notFound(NodeTaskKind kind, SidecarTask task, String why) {
    return undetermined(kind, why + words(task), transaction(task.result()));
  }

  private static NodeTaskOutcome.Ended undetermined(
      NodeTaskKind kind, String why, Optional<NodeTaskTransaction> tx) {
    if (!kind.isTransaction()) {
      return new NodeTaskOutcome.Ended(
          false, NodeTaskReason.TASK_FAILED, why + "; it is not submitted again", tx);
    }
    String hash = tx.map(NodeTaskTransaction::txHash).map(txHash -> " " + txHash).orElse("");
    return new NodeTaskOutcome.Ended(
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
