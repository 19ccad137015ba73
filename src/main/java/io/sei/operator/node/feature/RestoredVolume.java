package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.sei.operator.api.v1alpha1.RestoredFrom;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.render.Annotations;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether a node's volume is the copy of another's, which its claim says. */
public final class RestoredVolume {

  private static final Logger log = LoggerFactory.getLogger(RestoredVolume.class);

  private RestoredVolume() {}

  /** The VolumeSnapshot that a claim was made from; empty if it was empty at first. */
  public static Optional<RestoredFrom> of(PersistentVolumeClaim claim) {
    Optional<String> text = Annotations.of(claim, Annotations.RESTORED_FROM);
    try {
      return text.map(
              value -> KubernetesClients.serialization().unmarshal(value, RestoredFrom.class))
          .filter(from -> from.uid() != null);
    } catch (RuntimeException e) {
      log.warn(
          "Ignoring annotation {} of claim {}: {}",
          Annotations.RESTORED_FROM,
          claim.getMetadata().getName(),
          e.getMessage());
      return Optional.empty();
    }
  }

  /** The value of the claim's annotation. */
  public static String annotation(RestoredFrom from) {
    return KubernetesClients.serialization().asJson(from);
  }

  /**
   * The spec without what would bring state to an empty volume, where the volume has its state, or
   * will be made with it.
   */
  static SeiNodeSpec effective(
      SeiNodeSpec spec, SeiNodeStatus status, Optional<PersistentVolumeClaim> claim) {
    boolean restored =
        claim
            .map(
                persistentVolumeClaim ->
                    of(persistentVolumeClaim).isPresent()
                        && !status.hasWiped(persistentVolumeClaim.getMetadata().getUid()))
            .orElseGet(() -> spec.snapshotSource().isPresent());
    return restored && spec.initialSnapshot().isPresent() ? spec.withoutInitialSnapshot() : spec;
  }
}
