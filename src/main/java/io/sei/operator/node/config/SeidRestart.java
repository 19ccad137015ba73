package io.sei.operator.node.config;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.api.v1alpha1.UnreadConfig;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi.DeleteAnswer;
import io.sei.operator.node.feature.IrreversibleAct;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PodDeletion;
import io.sei.operator.node.feature.SidecarAbilities;
import io.sei.operator.node.feature.Vetoes;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.reconcile.Veto;
import io.sei.operator.render.Names;
import io.sei.operator.render.Ports;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarException;
import io.sei.operator.sidecar.SidecarTask;
import java.time.Duration;
import java.util.Optional;

/**
 * Ends a run of seid that has not read its configuration, or whose restart was requested, so that
 * the kubelet starts it again in the same pod. The run and the task are recorded first; an accepted
 * request is never repeated: the pod shows whether the run is over. Where the sidecar is too old
 * for it, the pod is deleted.
 *
 * @param vetoes is asked before a pod is deleted
 */
public record SeidRestart(PodDeletion deletion, Vetoes vetoes) {

  static final String TYPE = SidecarTaskTypes.RESTART_SEID;

  /** A backstop: the pod's watch announces the end of the run. */
  private static final Duration LOOK = Duration.ofSeconds(1);

  /** Runs the task once. */
  TaskOutcome run(PlannedTask task, NodePass pass, Optional<SidecarClient> sidecar) {
    UnreadConfig unread = pass.draft().unreadConfig();
    if (!UnreadRun.isToRestart(pass.view(), unread)
        || !UnreadRun.isUnderWay(pass.view(), unread)
        || sidecar.isEmpty()) {
      return TaskOutcome.done();
    }
    if (unread.askedAt() == null && UnreadRun.isStarting(pass.view(), pass.stored().start())) {
      return TaskOutcome.waitFor(
          NodeReason.STARTING,
          "seid is starting and is restarted once it serves",
          Recheck.BACKSTOP);
    }
    if (unread.askedAt() == null) {
      IrreversibleAct act =
          UnreadRun.isRequested(unread)
              ? IrreversibleAct.UPDATE_POD
              : IrreversibleAct.INTERRUPT_SEID;
      Veto veto = vetoes.ask(act, pass);
      if (!veto.isNone()) {
        return veto.then(TaskOutcome::done);
      }
    }
    if (!SidecarAbilities.can(pass.view(), TYPE)) {
      if (!unread.equals(pass.stored().unreadConfig())) {
        return TaskOutcome.recording();
      }
      return vetoes.ask(IrreversibleAct.UPDATE_POD, pass).then(() -> replacePod(pass, unread));
    }
    if (unread.restart() == null) {
      pass.update(
          status ->
              status.with(
                  builder ->
                      builder
                          .unreadConfig(unread.withRestart(task.id()))
                          .endedRun(unread.containerID())));
      return TaskOutcome.recording();
    }
    return ask(pass, sidecar.get(), unread);
  }

  private TaskOutcome ask(NodePass pass, SidecarClient sidecar, UnreadConfig unread) {
    Optional<SidecarTask> known = sidecar.lookup(pass.sidecar(), unread.restart());
    if (known.filter(task -> task.status() == SidecarTask.Status.FAILED).isPresent()) {
      return stuck("the sidecar could not restart seid: " + known.get().error());
    }
    if (unread.askedAt() != null && known.isEmpty()) {
      return stuck("the sidecar no longer knows that it was to restart seid");
    }
    if (known.isEmpty()) {
      try {
        sidecar.submit(pass.sidecar(), unread.restart(), TYPE, upCheck(pass));
      } catch (SidecarException e) {
        if (e.kind() != SidecarException.Kind.UNSUPPORTED) {
          throw e;
        }
        SidecarAbilities.addLack(pass, TYPE);
        return vetoes.ask(IrreversibleAct.UPDATE_POD, pass).then(() -> replacePod(pass, unread));
      }
    }
    if (unread.askedAt() == null) {
      record(pass, unread.withAskedAt(pass.now()));
    }
    return TaskOutcome.submitted(
        TaskReason.SEID_RESTARTING, "the sidecar ends seid, which then starts again", LOOK);
  }

  /**
   * Returns the check by which the sidecar detects that seid is up again, where that is not its
   * RPC. A sidecar older than the parameter asks the RPC and gets no answer. That delays nothing:
   * the pod shows that the run has ended.
   *
   * @return null where it is by its RPC
   */
  private static ObjectNode upCheck(NodePass pass) {
    if (pass.view().servesRpc()) {
      return null;
    }
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    params.putObject("upCheck").put("scheme", "tcp").put("port", Ports.P2P);
    return params;
  }

  /** The run may still end, so the plan stays. */
  private static TaskOutcome stuck(String message) {
    return TaskOutcome.waitFor(StallReason.SIDECAR_TASK_FAILED, message, Recheck.BACKSTOP);
  }

  private TaskOutcome replacePod(NodePass pass, UnreadConfig unread) {
    Pod pod = pass.view().livePod().orElseThrow();
    record(pass, unread.with(builder -> builder.restart(null).askedAt(pass.now())));
    return deletion.of(pass, pod) == DeleteAnswer.ACCEPTED
        ? PodDeletion.leaving(Names.pod(pass.node()))
        : PodDeletion.changed();
  }

  private static void record(NodePass pass, UnreadConfig unread) {
    pass.update(status -> status.withUnreadConfig(unread));
  }
}
