package io.sei.operator.node;

import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.Maintenance.Hold;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.node.bootstrap.BootstrapTasks;
import io.sei.operator.node.bootstrap.StateSync;
import io.sei.operator.node.maintenance.AwaitExit;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.TaskTypes;
import io.sei.operator.node.signing.KeyTasks;
import io.sei.operator.plan.Backoff;
import io.sei.operator.progression.ConfigHash;
import io.sei.operator.progression.SidecarTaskTypes;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Decides from a snapshot whether a node needs a plan, and which.
 *
 * @param isKnown whether this build can run a stored plan
 */
public record NodePlanner(Predicate<TaskPlan> isKnown) {

  /** A node is given other peers this often at most. */
  private static final Duration PEERS_INTERVAL = Duration.ofSeconds(30);

  private static final String CONFIG_CHANGED = "the configuration changed";

  /** Decides. */
  public PlanDecision decide(NodeSnapshot snapshot) {
    TaskPlan plan = snapshot.status().plan();
    if (plan == null) {
      return withoutPlan(snapshot);
    }
    if (!isOurs(plan)) {
      return start(kindFor(snapshot), "the stored plan is from another version of the operator", 0);
    }
    return plan.isActive() ? active(snapshot, plan) : ended(snapshot, plan);
  }

  /**
   * Whether a plan has tasks, and records all that they act on. A configuration that is set back to
   * what the sidecar has already leaves nothing to do.
   */
  private boolean isOurs(TaskPlan plan) {
    PlanTarget target = plan.target();
    return plan.kind() != null
        && plan.phase() != null
        && plan.id() != null
        && (!plan.tasks().isEmpty() || plan.kind() == PlanKind.CONFIG)
        && target != null
        && target.specHash() != null
        && target.image() != null
        && target.sidecarImage() != null
        && isKnown.test(plan);
  }

  private static PlanKind kindFor(NodeSnapshot snapshot) {
    return snapshot.isRunning() ? PlanKind.UPDATE : PlanKind.INIT;
  }

  private static PlanDecision active(NodeSnapshot snapshot, TaskPlan plan) {
    PlanTarget target = plan.target();
    if (!target.specHash().equals(snapshot.specHash())) {
      return start(kindFor(snapshot), snapshot.differenceFrom(target.image()), 0);
    }
    boolean otherStatefulSet =
        target.statefulSetUid() != null
            && !snapshot.trackedUid().equals(Optional.of(target.statefulSetUid()));
    if (otherStatefulSet) {
      return start(kindFor(snapshot), "the StatefulSet was replaced", 0);
    }
    if (AwaitExit.isLeft(plan)
        && snapshot.node().getSpec().holding().equals(Optional.of(Hold.IMMEDIATE))) {
      return start(kindFor(snapshot), "spec.maintenance.hold no longer waits for an exit", 0);
    }
    if (isForAnotherBootstrap(snapshot, plan)) {
      return start(PlanKind.INIT, "the bootstrap changed", 0);
    }
    if (isForAnotherVolume(snapshot, plan)) {
      return start(PlanKind.INIT, "the source of the data changed", 0);
    }
    if (snapshot.isKept() && isYetToReplacePod(plan) && snapshot.isSidecarWaiting()) {
      return start(PlanKind.MARK_READY, "the sidecar restarted, in a pod that is kept", 0);
    }
    if (plan.kind() != PlanKind.MARK_READY && isReconfigured(snapshot, target.configHash())) {
      return start(plan.kind(), CONFIG_CHANGED, 0);
    }
    return new PlanDecision.Continue();
  }

  private static boolean isYetToReplacePod(TaskPlan plan) {
    return plan.kind() == PlanKind.UPDATE
        && plan.tasks().stream()
            .filter(task -> TaskTypes.REPLACE_POD.equals(task.type()))
            .anyMatch(task -> task.status() != TaskStatus.COMPLETE);
  }

  /** What a volume is made from, and so what it lacks, is open until there is a claim. */
  private static boolean isForAnotherVolume(NodeSnapshot snapshot, TaskPlan plan) {
    boolean open =
        plan.kind() == PlanKind.INIT
            && (isEdited(snapshot, plan) || snapshot.declared().snapshotSource().isPresent())
            && !snapshot.isToBeHeld()
            && plan.tasks().stream()
                .filter(task -> TaskTypes.ENSURE_DATA_PVC.equals(task.type()))
                .anyMatch(task -> task.status() != TaskStatus.COMPLETE);
    boolean bringsState =
        plan.tasks().stream()
            .anyMatch(task -> SidecarTaskTypes.CONFIGURE_STATE_SYNC.equals(task.type()));
    return open && bringsState != snapshot.node().getSpec().initialSnapshot().isPresent();
  }

  /** Only if somebody edited the spec: a new version of the operator disturbs no node. */
  private static boolean isForAnotherBootstrap(NodeSnapshot snapshot, TaskPlan plan) {
    return plan.kind() == PlanKind.INIT
        && isEdited(snapshot, plan)
        && BootstrapTasks.isForAnother(plan, snapshot.node().getSpec());
  }

  private static boolean isEdited(NodeSnapshot snapshot, TaskPlan plan) {
    return !Objects.equals(
        plan.target().generation(), snapshot.node().getMetadata().getGeneration());
  }

  private static PlanDecision ended(NodeSnapshot snapshot, TaskPlan plan) {
    if (!plan.isFailed()) {
      return withoutPlan(snapshot);
    }
    PlanTarget target = plan.target();
    if (!target.specHash().equals(snapshot.specHash())) {
      return start(kindFor(snapshot), snapshot.differenceFrom(target.image()), 0);
    }
    if (!Objects.equals(target.retry(), snapshot.retryRequest().orElse(null))) {
      return start(kindFor(snapshot), "a retry was requested", 0);
    }
    if (KeyTasks.areFailedIn(plan)) {
      return start(kindFor(snapshot), "the Secrets with keys are checked again", 0);
    }
    if (plan.kind() == PlanKind.INIT) {
      boolean edited =
          !Objects.equals(target.generation(), snapshot.node().getMetadata().getGeneration());
      return edited ? start(PlanKind.INIT, "the spec changed", 0) : new PlanDecision.Rest();
    }
    if (isReconfigured(snapshot, target.configHash())) {
      PlanKind kind = plan.kind() == PlanKind.CONFIG ? PlanKind.CONFIG : kindFor(snapshot);
      return start(kind, CONFIG_CHANGED, 0);
    }
    return afterBackoff(snapshot, plan);
  }

  private static PlanDecision afterBackoff(NodeSnapshot snapshot, TaskPlan plan) {
    int attempt = (plan.attempt() == null ? 0 : plan.attempt()) + 1;
    boolean isPast = plan.finishedAt() != null && !plan.finishedAt().isAfter(snapshot.now());
    Instant failedAt = isPast ? plan.finishedAt() : Instant.EPOCH;
    Duration left =
        Duration.between(snapshot.now(), failedAt.plus(Backoff.OF_PLANS.after(attempt)));
    if (!left.isNegative() && !left.isZero()) {
      return new PlanDecision.BackOff(left);
    }
    PlanDecision next = withoutPlan(snapshot);
    return next instanceof PlanDecision.Start again
        ? start(again.kind(), again.why(), attempt)
        : next;
  }

  private static PlanDecision withoutPlan(NodeSnapshot snapshot) {
    // What is to be changed in a pod waits until the pod may be ended; its sidecar does not.
    Optional<String> outdated =
        snapshot.isKept() && snapshot.livePod().isPresent() ? Optional.empty() : outdated(snapshot);
    if (snapshot.isToBeHeld() && outdated.isEmpty()) {
      return new PlanDecision.Rest();
    }
    if (!snapshot.isRunning()) {
      return start(PlanKind.INIT, "the node has never run", 0);
    }
    if (outdated.isPresent()) {
      return start(PlanKind.UPDATE, outdated.get(), 0);
    }
    // Before the sidecar lets seid start, for seid reads its configuration only then.
    AppliedConfig config = snapshot.status().config();
    if (config != null
        && isReconfigured(snapshot, config.hash())
        && snapshot.livePod().isPresent()) {
      return start(PlanKind.CONFIG, CONFIG_CHANGED, 0);
    }
    if (StateSync.hasKeptFiles(snapshot) && snapshot.livePod().isPresent()) {
      return start(
          PlanKind.CONFIG,
          "the node has synced, so its configuration files can be written again",
          0);
    }
    if (snapshot.isSidecarWaiting()) {
      return start(PlanKind.MARK_READY, "the sidecar restarted", 0);
    }
    return snapshot.hasOtherPeers() && snapshot.livePod().isPresent()
        ? otherPeers(snapshot)
        : new PlanDecision.Rest();
  }

  /** While a fleet starts its peers become known one after the other. */
  private static PlanDecision otherPeers(NodeSnapshot snapshot) {
    Duration left =
        Duration.between(
            snapshot.now(), snapshot.status().config().appliedAt().plus(PEERS_INTERVAL));
    // Further away than the interval: the clock was set back since.
    return left.isNegative() || left.isZero() || left.compareTo(PEERS_INTERVAL) > 0
        ? start(PlanKind.CONFIG, "the peers changed", 0)
        : new PlanDecision.BackOff(left);
  }

  /** Whether the spec asks for another configuration than the one this hash stands for. */
  static boolean isReconfigured(NodeSnapshot snapshot, String hash) {
    return ConfigHash.isKnownFormat(hash) && !hash.equals(snapshot.configHash());
  }

  /** What runs and is recorded is not what the spec asks for: says what differs. */
  static Optional<String> outdated(NodeSnapshot snapshot) {
    SeiNodeStatus status = snapshot.status();
    boolean recorded =
        snapshot.specHash().equals(status.podSpecHash())
            && snapshot.node().getSpec().image().equals(status.currentImage());
    return recorded && snapshot.podDifference().isEmpty()
        ? Optional.empty()
        : Optional.of(snapshot.difference());
  }

  private static PlanDecision start(PlanKind kind, String why, int attempt) {
    return new PlanDecision.Start(kind, why, attempt);
  }
}
