package io.sei.operator.node.feature;

import static io.sei.operator.kube.ApiErrors.isConflict;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Recheck;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The patches by which one feature has nodes' claims ask for something else. What the API server
 * refuses is asked for again once the spec has changed, or after {@link Recheck#REFUSED}.
 */
public final class ClaimPatches {

  private record Refusal(Long generation, Instant at, String message) {}

  private final KubeApi api;
  private final NodeCaches caches;
  private final PerObjectMap<ResourceID, Refusal> refusals;

  /**
   * @param memory forgets a node that is gone
   */
  public ClaimPatches(KubeApi api, NodeCaches caches, PerObjectState<ResourceID> memory) {
    this.api = api;
    this.caches = caches;
    this.refusals = memory.newMap();
  }

  /** The claim that was made for a node, as it was last read or written. */
  public Optional<PersistentVolumeClaim> own(NodePass pass) {
    String owner = pass.node().getMetadata().getUid();
    return Names.importedClaim(pass.node()).isPresent()
        ? Optional.empty()
        : caches
            .claim(pass.node())
            .filter(claim -> Annotations.has(claim, Annotations.CLAIM_OWNER_UID, owner));
  }

  /**
   * Sends a patch, unless it was refused a while ago.
   *
   * @param refused says what that means, by the words of the API server
   * @return the claim as it is then; empty if nothing was written
   */
  public Optional<PersistentVolumeClaim> send(
      NodePass pass, PersistentVolumeClaim claim, String patch, UnaryOperator<String> refused) {
    Optional<Refusal> last = refusals.get(key(pass)).filter(refusal -> !isOver(refusal, pass));
    if (last.isPresent()) {
      pass.recheckAfter(Recheck.REFUSED);
      return Optional.empty();
    }
    settled(pass);
    try {
      PersistentVolumeClaim written = api.mergePatch(claim, patch);
      caches.remember(written, Optional.of(claim));
      return Optional.of(written);
    } catch (RefusedException e) {
      refused(pass, refused.apply(e.getMessage()));
    } catch (KubernetesClientException e) {
      if (!isConflict(e)) {
        throw e;
      }
      pass.recheckAfter(Recheck.RACE);
    }
    return Optional.empty();
  }

  /** Notes that nothing has come of the patch, which counts as a refusal. */
  public void refused(NodePass pass, String message) {
    refusals.put(
        key(pass), new Refusal(pass.node().getMetadata().getGeneration(), pass.now(), message));
    pass.recheckAfter(Recheck.REFUSED);
  }

  /** Notes that nothing is asked for. */
  public void settled(NodePass pass) {
    refusals.remove(key(pass));
  }

  /** Returns the last refusal; empty if there is none. */
  public Optional<String> refusal(NodePass pass) {
    return refusals.get(key(pass)).map(Refusal::message);
  }

  private static boolean isOver(Refusal refusal, NodePass pass) {
    Duration age = Duration.between(refusal.at(), pass.now());
    return !pass.node().getMetadata().getGeneration().equals(refusal.generation())
        || age.isNegative()
        || age.compareTo(Recheck.REFUSED) >= 0;
  }

  private static ResourceID key(NodePass pass) {
    return ResourceID.fromResource(pass.node());
  }
}
