package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.PodSigningKey;
import io.sei.operator.node.objects.NodeObjects;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Names;
import io.sei.operator.sidecar.SidecarClient;
import io.sei.operator.sidecar.SidecarException;
import io.sei.operator.sidecar.SidecarHealth;
import io.sei.operator.sidecar.SidecarTask;
import java.time.Duration;
import java.util.Optional;

/**
 * Recovers the status of a node that has run and of which nothing is recorded: its SeiNode was
 * deleted without what belongs to it and applied again, or it was restored from a backup. Init
 * tasks are not for a volume that seid has used, and may have open.
 */
public record LostStatus(SidecarClient sidecar, NodeObjects objects) implements NodeFeature {

  /** A backstop: watches and what the sidecar says announce what is waited for. */
  private static final Duration RECHECK = Duration.ofSeconds(5);

  private enum HasRun {
    YES,
    NO,
    UNKNOWN
  }

  /**
   * Records that the node runs, if it has a volume and a StatefulSet already, or a pod for one, and
   * its pod or sidecar shows that seid was started.
   */
  @Override
  public Next observe(NodePass pass) {
    if (!isBlank(pass)) {
      return Next.goOn();
    }
    Optional<Pod> pod = pass.view().livePod();
    return switch (pod.map(present -> hasRun(pass, present)).orElse(HasRun.UNKNOWN)) {
      case YES -> record(pass, pod.get());
      case UNKNOWN -> {
        objects.syncStatefulSet(pass);
        yield Next.rest(RECHECK);
      }
      case NO -> Next.goOn();
    };
  }

  private boolean isBlank(NodePass pass) {
    SeiNodeStatus status = pass.draft();
    return status.podSpecHash() == null
        && (status.phase() == null || status.phase() == NodePhase.PENDING)
        && pass.view().inheritsVolume()
        && (status.statefulSet() != null || objects.hasOrphanedPod(pass));
  }

  private HasRun hasRun(NodePass pass, Pod pod) {
    SidecarHealth health = pass.view().sidecar().orElse(SidecarHealth.UNKNOWN);
    if (PodFacts.wasReady(pod) || health == SidecarHealth.READY) {
      return HasRun.YES;
    }
    if (health == SidecarHealth.NOT_READY) {
      return recorded(pass);
    }
    return PodFacts.hasStuckContainer(pod) ? HasRun.NO : HasRun.UNKNOWN;
  }

  /** The sidecar's records are on the volume, so they outlive pods. */
  private HasRun recorded(NodePass pass) {
    try {
      boolean started = knows(pass, SidecarTaskTypes.MARK_READY, SidecarTask.Status.COMPLETED);
      if (knows(pass, SidecarTaskTypes.SNAPSHOT_RESTORE, SidecarTask.Status.RUNNING)) {
        return HasRun.UNKNOWN;
      }
      return started ? HasRun.YES : HasRun.NO;
    } catch (SidecarException e) {
      return HasRun.UNKNOWN;
    }
  }

  private boolean knows(NodePass pass, String type, SidecarTask.Status status) {
    return sidecar.statuses(pass.sidecar(), type).contains(status);
  }

  private static Next record(NodePass pass, Pod pod) {
    NodeView view = pass.view();
    pass.update(
        status ->
            status.with(
                builder ->
                    builder
                        .phase(NodePhase.RUNNING)
                        .podSpecHash(view.stampOf(pod).orElse(null))
                        .signingPublicKey(PodSigningKey.of(pod).orElse(null))
                        .currentImage(view.imageOf(pod).orElse(null))
                        .currentSidecarImage(PodFacts.image(pod, Names.SIDECAR).orElse(null))));
    return Next.writeFirst("lost-status");
  }
}
