package io.sei.operator.node.volume;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.sei.operator.api.v1alpha1.RestoredFrom;
import io.sei.operator.base.Times;
import io.sei.operator.diagnosis.CauseOfDeath;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.render.Annotations;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Marks the VolumeSnapshot from which a node was made, if seid dies of its data within a day, so
 * that the next node is made from another one. Readiness meanwhile does not count, since seid is
 * Ready until a peer has sent its height.
 */
record BadSource(KubeApi api) {

  private static final Logger log = LoggerFactory.getLogger(BadSource.class);

  /** Age after which damage of a volume is its own and not its source's. */
  private static final Duration SPEAKS_OF_ITS_SOURCE = Duration.ofDays(1);

  void mark(NodePass pass) {
    RestoredFrom source = pass.stored().restoredFrom();
    if (source == null || !isNew(pass.view())) {
      return;
    }
    pass.view().ownedPod().flatMap(CauseOfDeath::badData).ifPresent(why -> mark(pass, source, why));
  }

  private static boolean isNew(NodeView view) {
    return view.claim()
        .flatMap(it -> Times.parse(it.getMetadata().getCreationTimestamp()))
        .filter(made -> made.plus(SPEAKS_OF_ITS_SOURCE).isAfter(view.now()))
        .isPresent();
  }

  /** A mark that cannot be set is no reason to hold anything up: it is tried at the next death. */
  private void mark(NodePass pass, RestoredFrom source, String why) {
    try {
      api.get(VolumeSnapshot.class, pass.namespace(), source.volumeSnapshot())
          .filter(it -> it.getMetadata().getUid().equals(source.uid()))
          .filter(it -> Annotations.of(it, Annotations.BAD_DATA).isEmpty())
          .ifPresent(view -> mark(pass, view, why));
    } catch (KubernetesClientException e) {
      log.warn("Cannot mark VolumeSnapshot {}: {}", source.volumeSnapshot(), e.getMessage());
    }
  }

  private void mark(NodePass pass, VolumeSnapshot view, String why) {
    String died = "node %s died of %s".formatted(pass.node().getMetadata().getName(), why);
    api.mergePatch(view, MetadataPatch.annotation(view, Annotations.BAD_DATA, died));
    log.warn("Marked VolumeSnapshot {}: {}", view.getMetadata().getName(), died);
  }
}
