package io.sei.operator.node.config;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.UnreadConfig;
import io.sei.operator.api.v1alpha1.UpdatePolicy.OfConfig;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.FindingRank;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.PlanShape;
import io.sei.operator.node.feature.SeidRestartDue;
import io.sei.operator.node.feature.SidecarWork;
import io.sei.operator.node.feature.Slot;
import io.sei.operator.plan.PlanTrigger;
import io.sei.operator.plan.PlanTrigger.PlanConflict;
import io.sei.operator.plan.PlanTrigger.Rank;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.Traits;
import io.sei.operator.reconcile.EventRule;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.ConfigHash;
import io.sei.operator.render.Names;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Has seid restarted once its configuration has changed, unless the node waits for its next start;
 * then it says what waits.
 *
 * @param waits whether nodes that do not say so wait for the next start
 */
public record ConfigRestart(SidecarClient sidecar, SeidRestart restart, boolean waits) {

  private static final Duration RECHECK = Duration.ofSeconds(5);

  SeiNodeSpec overlay(SeiNodeSpec spec, SeiNodeStatus status, Optional<Pod> kept) {
    return waits && spec.configUpdates().isEmpty()
        ? spec.updated(policy -> policy.withConfig(OfConfig.ON_NEXT_START))
        : spec;
  }

  void operations(OperationParts operations) {
    operations
        // The next plan waits for the end of the run that this one has asked for.
        .task(
            SidecarWork.of(SeidRestart.TYPE, Traits.OF_SIDECAR.retried(0))
                .withGuard((task, pass, sidecar) -> Optional.of(restart.run(task, pass, sidecar))))
        .steps(Slot.AFTER_START, ConfigRestart::steps)
        .trigger(
            PlanConflict.NONE, ConfigRestart::isToBeAsked, ConfigRestart::ofUnreadConfiguration);
  }

  /** Other peers alone wait for the next start, unless seid has had none. */
  private static Stream<Step> steps(NodeView view, PlanShape shape) {
    boolean restarts =
        shape == PlanShape.CONFIG
            && UnreadRun.isToRestart(view, view.stored().unreadConfig())
            && (!view.isConfigured()
                || hasKeysLeft(view)
                || isUnread(view)
                || view.beganWithoutPeers());
    return restarts ? Stream.of(new Step(SeidRestart.TYPE, null)) : Stream.empty();
  }

  /**
   * Keys that the spec no longer has stay in the files, and in force, until a plan removes them.
   */
  private static boolean hasKeysLeft(NodeView view) {
    AppliedConfig config = view.stored().config();
    return config != null && config.keysLeft() != null;
  }

  /** A plan that was to restart seid may have given way to another one. */
  private static PlanTrigger ofUnreadConfiguration(NodeView view) {
    return PlanTrigger.of(
        Rank.CONFIGURATION,
        PlanKind.CONFIG,
        UnreadRun.isRequested(view.stored().unreadConfig())
            ? "a restart of seid was requested"
            : "seid runs with an older configuration than its files have");
  }

  private static boolean isToBeAsked(NodeView view) {
    return UnreadRun.isToRestart(view, view.stored().unreadConfig())
        && isUnread(view)
        && view.stored().unreadConfig().askedAt() == null;
  }

  private static boolean isUnread(NodeView view) {
    return UnreadRun.isUnderWay(view, view.stored().unreadConfig());
  }

  /**
   * Drops the record of a run that is over. The sidecar forgets the task first: one that is still
   * waiting for seid to serve would end seid once more if the sidecar were restarted.
   */
  Next observe(NodePass pass) {
    UnreadConfig unread = pass.draft().unreadConfig();
    if (unread != null && UnreadRun.isOver(pass.view(), unread)) {
      drop(pass, unread);
    }
    return Annotations.newRestartOfSeid(pass.node(), pass.draft())
        .filter(request -> UnreadRun.isKnown(pass.view()))
        .map(request -> take(pass, request))
        .orElseGet(Next::goOn);
  }

  /** Records a request for the run of seid that is under way; a later run is not ended for it. */
  private static Next take(NodePass pass, String request) {
    UnreadConfig run = UnreadRun.requested(pass, request);
    pass.update(status -> status.with(builder -> builder.unreadConfig(run).seidRestart(request)));
    return Next.writeFirst("seidRestart");
  }

  private void drop(NodePass pass, UnreadConfig unread) {
    if (unread.restart() == null || isForgotten(pass, unread.restart())) {
      pass.update(status -> status.withUnreadConfig(null));
    } else {
      pass.recheckAfter(RECHECK);
    }
  }

  private boolean isForgotten(NodePass pass, String task) {
    try {
      return sidecar.cancel(pass.sidecar(), task);
    } catch (SidecarException e) {
      return e.kind() == SidecarException.Kind.REJECTED;
    }
  }

  void conditions(ConditionParts conditions) {
    conditions
        .record(this::record)
        .report(this::report)
        .event(EventRule.normal("SeidRestarting", ConfigRestart::asked));
  }

  void record(NodePass pass) {
    if (!isAtRestart(pass)) {
      return;
    }
    if (pass.waitsFor(NodeReason.STARTING)) {
      pass.suspendDeadline("seid is starting, and is restarted then");
    }
    if (pass.waitsFor(StallReason.SIDECAR_TASK_FAILED)) {
      pass.offer(
          FindingRank.CONFIGURATION_NOT_APPLIED,
          new Finding(
              StallReason.SIDECAR_TASK_FAILED,
              pass.plan().currentTask().orElseThrow().message(),
              "seid still runs; set sei.io/restart-requested-at to restart its pod",
              true));
    }
  }

  private static boolean isAtRestart(NodePass pass) {
    return Optional.ofNullable(pass.plan())
        .filter(TaskPlan::isActive)
        .flatMap(TaskPlan::currentTask)
        .filter(task -> SeidRestart.TYPE.equals(task.type()))
        .isPresent();
  }

  void report(NodePass pass) {
    restartDue(pass).ifPresent(pass::seidRestartDue);
  }

  private static Optional<SeidRestartDue> restartDue(NodePass pass) {
    NodeView view = pass.drafted();
    UnreadConfig unread = view.stored().unreadConfig();
    boolean byItself = UnreadRun.isToRestart(view, unread);
    if (isUnread(view)) {
      return Optional.of(
          new SeidRestartDue(
              byItself && (isToBeAsked(view) || isAtRestart(pass)),
              (UnreadRun.isRequested(unread)
                      ? "a restart of seid was requested at %s"
                      : "the configuration changed at %s, and seid has run since before")
                  .formatted(unread.since())));
    }
    boolean isChanged =
        view.stored().config() != null
            && ConfigHash.isKnownFormat(view.stored().config().hash())
            && !view.configHash().equals(view.stored().config().hash());
    return isChanged
            && byItself
            && view.livePod().filter(pod -> PodFacts.runs(pod, Names.SEID)).isPresent()
        ? Optional.of(
            new SeidRestartDue(true, "the configuration changed, so seid starts again in its pod"))
        : Optional.empty();
  }

  private static Optional<String> asked(SeiNodeStatus before, SeiNodeStatus after) {
    UnreadConfig unread = after.unreadConfig();
    boolean wasAsked =
        before.unreadConfig() != null
            && before.unreadConfig().askedAt() != null
            && unread != null
            && Objects.equals(before.unreadConfig().containerID(), unread.containerID());
    if (unread == null || unread.askedAt() == null || wasAsked) {
      return Optional.empty();
    }
    String why =
        UnreadRun.isRequested(unread) ? "a restart was requested" : "the configuration changed";
    return Optional.of(
        unread.restart() == null
            ? why + ", and the sidecar cannot restart seid: the pod is replaced"
            : why + ": seid is restarted in its pod");
  }
}
