package io.sei.operator.node.volume;

import static io.sei.operator.kube.ApiErrors.isForbidden;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.VolumeFacts;
import io.sei.operator.node.feature.VolumeRisk;
import io.sei.operator.render.Labels;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the data volumes of nodes. Claims are watched. PersistentVolumes are not, since they are
 * in no namespace, and may not be readable at all: each is read once its claim has changed, and
 * from time to time.
 */
public final class VolumeWatch {

  private static final Logger log = LoggerFactory.getLogger(VolumeWatch.class);

  /** A node is looked at every ten minutes; this is a little less, so that each look reads. */
  private static final Duration INTERVAL = Duration.ofMinutes(9);

  /** While the data is at risk, since an administrator may set the volume to Retain. */
  static final Duration AT_RISK = Duration.ofSeconds(10);

  /** Interval after a failed read. */
  static final Duration FAILURE = Duration.ofSeconds(30);

  /**
   * A read of a volume.
   *
   * @param of what the claim was like then
   * @param volume empty if it could not be read
   */
  private record Look(List<Object> of, Instant next, Optional<VolumeFacts> volume) {}

  /** Whether a claim is being deleted with its whole namespace. */
  private record Deletion(String claimUid, boolean ofNamespace) {}

  private final KubeApi api;
  private final Function<SeiNode, Optional<PersistentVolumeClaim>> claims;
  private final PerObjectMap<ResourceID, Look> looks;
  private final PerObjectMap<ResourceID, Deletion> deletions;
  private volatile Instant refusedAt = Instant.EPOCH;

  /**
   * @param claims reads the claim that has the data of a node, an imported one included
   */
  public VolumeWatch(
      KubeApi api,
      Function<SeiNode, Optional<PersistentVolumeClaim>> claims,
      PerObjectState<ResourceID> memory) {
    this.api = api;
    this.claims = claims;
    this.looks = memory.newMap();
    this.deletions = memory.newMap();
  }

  /**
   * Returns the risk for a node's data, by watched and last read objects.
   *
   * @return empty if nothing is wrong, or the namespace is being deleted with all that is in it
   */
  public Optional<VolumeRisk> risk(SeiNode node, Instant now) {
    Optional<PersistentVolumeClaim> claim = claims.apply(node);
    if (claim.isEmpty()) {
      looks.remove(ResourceID.fromResource(node));
      return Optional.empty();
    }
    Optional<VolumeRisk> before = risk(node, claim.get(), volume(node));
    look(node, claim.get(), before.isPresent(), now);
    return risk(node, claim.get(), volume(node));
  }

  /** Returns the risk by live reads: of the claim, and of the volume if it may be read. */
  Optional<VolumeRisk> liveRisk(SeiNode node, String claimName, Instant now) {
    // A volume may take seconds to read, in which its claim may be deleted: the claim comes last.
    claims
        .apply(node)
        .or(() -> claim(node, claimName))
        .ifPresent(claim -> look(node, claim, true, now));
    return claim(node, claimName).flatMap(claim -> risk(node, claim, volume(node)));
  }

  private Optional<PersistentVolumeClaim> claim(SeiNode node, String name) {
    return api.get(PersistentVolumeClaim.class, node.getMetadata().getNamespace(), name);
  }

  private Optional<VolumeRisk> risk(
      SeiNode node, PersistentVolumeClaim claim, Optional<VolumeFacts> volume) {
    return VolumeRisk.of(node, claim, volume).filter(risk -> !isNamespaceGoing(node, risk));
  }

  /** Asked once for each claim: the nodes of a namespace go soon after it is deleted. */
  private boolean isNamespaceGoing(SeiNode node, VolumeRisk risk) {
    ResourceID id = ResourceID.fromResource(node);
    if (deletions
        .get(id)
        .filter(deletion -> deletion.claimUid().equals(risk.claimUid()))
        .isEmpty()) {
      var labels = Labels.selector(node.getMetadata().getName());
      boolean going = api.isNamespaceGoing(node.getMetadata().getNamespace(), labels);
      deletions.put(id, new Deletion(risk.claimUid(), going));
    }
    return deletions.get(id).filter(Deletion::ofNamespace).isPresent();
  }

  /** A node's volume as it was last read; empty if it could not be. */
  public Optional<VolumeFacts> volume(SeiNode node) {
    return looks.get(ResourceID.fromResource(node)).flatMap(Look::volume);
  }

  /**
   * Reads a volume that may be gone, live.
   *
   * @return empty if there is no such volume
   * @throws KubernetesClientException if the API server does not say
   */
  Optional<VolumeFacts> read(String volume) {
    return api.get(PersistentVolume.class, volume).map(VolumeFacts::of);
  }

  /** Notes a node's volume as just written. */
  void wrote(SeiNode node, PersistentVolume written) {
    looks.computeIfPresent(
        ResourceID.fromResource(node),
        look -> new Look(look.of(), look.next(), Optional.of(VolumeFacts.of(written))));
  }

  /** Returns whether volumes may be read, as far as is known. */
  boolean mayRead(Instant now) {
    return !now.isBefore(refusedAt.plus(Recheck.REFUSED));
  }

  /** Notes that a volume may not be read. */
  void refused(Instant now) {
    refusedAt = now;
  }

  private void look(SeiNode node, PersistentVolumeClaim claim, boolean atRisk, Instant now) {
    ResourceID id = ResourceID.fromResource(node);
    String name = claim.getSpec().getVolumeName();
    List<Object> of = digest(claim);
    Instant next = now.plus(atRisk ? AT_RISK : INTERVAL);
    boolean isGood =
        looks
            .get(id)
            .filter(candidate -> candidate.of().equals(of) && now.isBefore(candidate.next()))
            // Not where the clock was set back.
            .filter(candidate -> !next.isBefore(candidate.next()))
            .isPresent();
    if (name == null || name.isEmpty() || isGood || !mayRead(now)) {
      return;
    }
    try {
      looks.put(id, new Look(of, next, read(name)));
    } catch (KubernetesClientException e) {
      log.info("Cannot read PersistentVolume {}: {}", name, e.getMessage());
      if (isForbidden(e)) {
        refused(now);
      }
      looks.put(id, new Look(of, now.plus(FAILURE), volume(node)));
    }
  }

  private static List<Object> digest(PersistentVolumeClaim claim) {
    return Arrays.asList(
        claim.getMetadata().getUid(),
        claim.getMetadata().getDeletionTimestamp(),
        claim.getSpec().getVolumeName(),
        claim.getStatus() == null ? null : claim.getStatus().getPhase());
  }
}
