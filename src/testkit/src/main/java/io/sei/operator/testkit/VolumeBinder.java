package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimCondition;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimConditionBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimStatusBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeStatus;
import io.fabric8.kubernetes.api.model.PersistentVolumeStatusBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.storage.VolumeAttributesClass;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/**
 * Binds claims to volumes made for them, grows and modifies those, and deletes those volumes after
 * the claims, as the persistent volume controller and external-resizer do; it gets along with the
 * former where that runs.
 */
final class VolumeBinder {
  private static final Quantity SMALLEST = new Quantity("1Gi");
  private static final PatchContext MERGE = PatchContext.of(PatchType.JSON_MERGE);

  private final KubernetesClient client;
  private final Map<ObjectKey, Queue<PersistentVolumeClaim>> gone = new ConcurrentHashMap<>();
  private final Map<String, String> named = new ConcurrentHashMap<>();
  private volatile boolean held;

  VolumeBinder(KubernetesClient client) {
    this.client = client;
  }

  void hold(boolean hold) {
    held = hold;
  }

  /** Remembers a claim that is gone, so that the next step reclaims its volume. */
  void gone(PersistentVolumeClaim claim) {
    gone.computeIfAbsent(ObjectKey.of(claim), k -> new ConcurrentLinkedQueue<>()).add(claim);
  }

  /** Moves a claim on; empty, because only events change anything here. */
  Optional<Duration> step(ObjectKey key, Optional<PersistentVolumeClaim> current) {
    Queue<PersistentVolumeClaim> reclaimable =
        gone.getOrDefault(key, new ConcurrentLinkedQueue<>());
    while (!reclaimable.isEmpty()) {
      reclaim(reclaimable.peek());
      reclaimable.remove();
    }
    Optional<PersistentVolumeClaim> movable =
        current.filter(claim -> claim.getMetadata().getDeletionTimestamp() == null && !held);
    movable.filter(claim -> !isBound(claim)).ifPresent(this::bind);
    movable
        .filter(VolumeBinder::isBound)
        .ifPresent(
            claim -> {
              resize(claim);
              modify(claim);
            });
    return Optional.empty();
  }

  static boolean isBound(PersistentVolumeClaim claim) {
    return claim.getStatus() != null && "Bound".equals(claim.getStatus().getPhase());
  }

  /** Deletes the volume of a claim that is gone, as the reclaim policy Delete asks for. */
  private void reclaim(PersistentVolumeClaim claim) {
    String name = claim.getSpec().getVolumeName();
    if (name == null || name.isEmpty()) {
      return;
    }
    var volume = client.persistentVolumes().withName(name);
    ignoringOthers(
        () -> {
          var found = volume.get();
          if (found != null
              && found.getSpec().getClaimRef() != null
              && claim.getMetadata().getUid().equals(found.getSpec().getClaimRef().getUid())
              && "Delete".equals(found.getSpec().getPersistentVolumeReclaimPolicy())) {
            // The volume protection controller keeps a volume for as long as it is bound.
            patchStatus(client.resource(found), null, phase("Released"));
            volume.delete();
          }
        });
  }

  private void bind(PersistentVolumeClaim claim) {
    String wanted = claim.getSpec().getVolumeName();
    boolean chosen = wanted != null && !wanted.isEmpty();
    String name = chosen ? wanted : "pvc-" + claim.getMetadata().getUid();
    Map<String, Quantity> capacity = capacity(claim);
    if (!chosen) {
      createVolume(claim, name, capacity);
    }
    ignoringOthers(
        () -> {
          Map<String, Object> metadata =
              Map.of(
                  "uid",
                  claim.getMetadata().getUid(),
                  "annotations",
                  Map.of(
                      "pv.kubernetes.io/bind-completed", "yes",
                      "pv.kubernetes.io/bound-by-controller", "yes"));
          patch(
              client.resource(claim),
              Map.of("metadata", metadata, "spec", Map.of("volumeName", name)));
          var status =
              new PersistentVolumeClaimStatusBuilder()
                  .withPhase("Bound")
                  .withAccessModes(claim.getSpec().getAccessModes())
                  .withCapacity(capacity)
                  .withCurrentVolumeAttributesClassName(
                      claim.getSpec().getVolumeAttributesClassName())
                  .build();
          patchStatus(client.resource(claim), claim.getMetadata().getUid(), status);
        });
  }

  /** See {@link ClaimStatuses}. */
  private void resize(PersistentVolumeClaim claim) {
    Map<String, Quantity> wanted = capacity(claim);
    // The next event may be about the claim as it was in between.
    if (!has(claim, wanted)
        && Optional.ofNullable(client.resource(claim).get())
            .filter(resource -> !has(resource, wanted))
            .isPresent()) {
      patchSize(claim, Map.of(), List.of("Resizing"));
      patchSize(claim, Map.of(), List.of("Resizing", "FileSystemResizePending"));
      patchSize(claim, wanted, List.of());
    }
  }

  private static boolean has(PersistentVolumeClaim claim, Map<String, Quantity> capacity) {
    return capacity.equals(claim.getStatus().getCapacity());
  }

  private void patchSize(
      PersistentVolumeClaim claim, Map<String, Quantity> capacity, List<String> underWay) {
    Stream<PersistentVolumeClaimCondition> others =
        claim.getStatus().getConditions().stream()
            .filter(condition -> !condition.getType().contains("Resiz"));
    Stream<PersistentVolumeClaimCondition> conditions =
        underWay.stream()
            .map(
                type ->
                    new PersistentVolumeClaimConditionBuilder()
                        .withType(type)
                        .withStatus("True")
                        .withLastTransitionTime(Instant.now().toString())
                        .build());
    Map<String, Object> status =
        Map.of("capacity", capacity, "conditions", Stream.concat(others, conditions).toList());
    ignoringOthers(() -> patchStatus(client.resource(claim), claim.getMetadata().getUid(), status));
  }

  /** Modifies the volume as external-resizer 2.3 does, which looks for a class once. */
  private void modify(PersistentVolumeClaim claim) {
    String wanted = claim.getSpec().getVolumeAttributesClassName();
    if (wanted == null || wanted.equals(named.put(claim.getMetadata().getUid(), wanted))) {
      return;
    }
    boolean exists =
        wanted.equals(claim.getStatus().getCurrentVolumeAttributesClassName())
            || client.resources(VolumeAttributesClass.class).withName(wanted).get() != null;
    var status = new HashMap<String, Object>();
    status.put("modifyVolumeStatus", exists ? null : Map.of("status", "Pending"));
    if (exists) {
      status.put("currentVolumeAttributesClassName", wanted);
    }
    ignoringOthers(() -> patchStatus(client.resource(claim), claim.getMetadata().getUid(), status));
  }

  private void createVolume(
      PersistentVolumeClaim claim, String name, Map<String, Quantity> capacity) {
    var volume =
        new PersistentVolumeBuilder()
            .withNewMetadata()
            .withName(name)
            .endMetadata()
            .withNewSpec()
            .withCapacity(capacity)
            .withAccessModes(claim.getSpec().getAccessModes())
            .withStorageClassName(claim.getSpec().getStorageClassName())
            .withPersistentVolumeReclaimPolicy("Delete")
            // Of a kind that a pod can mount read-only, which one of type hostPath is not.
            .withNewNfs()
            .withServer("storage.test")
            .withPath("/" + name)
            .endNfs()
            .withNewClaimRef()
            .withApiVersion("v1")
            .withKind("PersistentVolumeClaim")
            .withNamespace(claim.getMetadata().getNamespace())
            .withName(claim.getMetadata().getName())
            .withUid(claim.getMetadata().getUid())
            .endClaimRef()
            .endSpec()
            .build();
    ignoringOthers(() -> client.persistentVolumes().resource(volume).create());
    ignoringOthers(() -> patchStatus(client.resource(volume), null, phase("Bound")));
  }

  private static PersistentVolumeStatus phase(String phase) {
    return new PersistentVolumeStatusBuilder().withPhase(phase).build();
  }

  private static Map<String, Quantity> capacity(PersistentVolumeClaim claim) {
    var resources = claim.getSpec().getResources();
    Quantity asked =
        resources == null || resources.getRequests() == null
            ? null
            : resources.getRequests().get("storage");
    return Map.of("storage", asked == null ? SMALLEST : asked);
  }

  /** A resource that is known by its name alone would be read first. */
  private static void patch(Resource<?> resource, Object patch) {
    resource.patch(MERGE, Serialization.asJson(patch));
  }

  private static void patchStatus(Resource<?> resource, String uid, Object status) {
    Map<String, Object> metadata = uid == null ? Map.of() : Map.of("uid", uid);
    resource
        .subresource("status")
        .patch(MERGE, Serialization.asJson(Map.of("metadata", metadata, "status", status)));
  }

  /**
   * Ignores that another writer was faster, or that the object is another one by now: an event will
   * follow.
   */
  private static void ignoringOthers(Runnable write) {
    try {
      write.run();
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND
          && e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw e;
      }
    }
  }
}
