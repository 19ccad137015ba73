package io.sei.operator.testkit.machine;

import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Makes a volume out of a directory for each claim, unless {@link SnapshotStorage} makes it, as a
 * provisioner of local volumes does, and removes it with its claim. Of the types that are
 * directories of the machine only {@code local} heeds a pod's {@code fsGroup}, and is mounted
 * read-only where a pod asks for that; a claim of the class {@link #HOST_PATH} gets one of the
 * other type. A volume of less than a GiB is in memory, and is full once it has what was asked for.
 */
public final class LocalVolumes implements AutoCloseable {

  /** StorageClass whose volumes are of type hostPath. */
  public static final String HOST_PATH = "host-path";

  private static final Path DIRECTORY = Path.of("/var/lib/volumes");

  private static final String DELETE = "Delete";

  private static final BigDecimal GIB = BigDecimal.valueOf(1L << 30);

  private final KubernetesClient client;
  private final SharedIndexInformer<PersistentVolumeClaim> claims;

  LocalVolumes(KubernetesClient client) {
    this.client = client;
    claims =
        client
            .persistentVolumeClaims()
            .inAnyNamespace()
            .inform(
                new ResourceEventHandler<>() {
                  @Override
                  public void onAdd(PersistentVolumeClaim claim) {
                    provide(claim);
                  }

                  @Override
                  public void onUpdate(PersistentVolumeClaim old, PersistentVolumeClaim claim) {
                    // A claim is bound to what was made for it when it appeared.
                  }

                  @Override
                  public void onDelete(PersistentVolumeClaim claim, boolean stateUnknown) {
                    if (!isOfSnapshotStorage(claim)) {
                      reclaim(claim);
                    }
                  }
                });
  }

  /** Deletes the volume, unless it was set to Retain meanwhile. */
  private void reclaim(PersistentVolumeClaim claim) {
    var volume = client.persistentVolumes().withName(name(claim));
    Optional.ofNullable(volume.get())
        .filter(candidate -> DELETE.equals(candidate.getSpec().getPersistentVolumeReclaimPolicy()))
        .ifPresent(persistentVolume -> volume.delete());
  }

  /** The directory that is the volume of a claim. */
  static Path directory(PersistentVolumeClaim claim) {
    return DIRECTORY.resolve(name(claim));
  }

  private static String name(PersistentVolumeClaim claim) {
    return "pvc-" + claim.getMetadata().getUid();
  }

  private static boolean isOfSnapshotStorage(PersistentVolumeClaim claim) {
    return SnapshotStorage.CLASSES.contains(
        Objects.requireNonNullElse(claim.getSpec().getStorageClassName(), ""));
  }

  private void provide(PersistentVolumeClaim claim) {
    if (claim.getSpec().getVolumeName() != null || isOfSnapshotStorage(claim)) {
      return;
    }
    try {
      Path directory = Files.createDirectories(directory(claim));
      BigDecimal size =
          claim.getSpec().getResources().getRequests().get("storage").getNumericalAmount();
      if (size.compareTo(GIB) < 0) {
        String options = "size=" + size.toBigInteger();
        Run.quietly(Map.of(), "mount", "-t", "tmpfs", "-o", options, "tmpfs", directory.toString());
      }
      client
          .resource(
              HOST_PATH.equals(claim.getSpec().getStorageClassName())
                  ? ofHostPath(claim, directory)
                  : local(claim, directory))
          .create();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Every user of a container may write to it, since the kubelet changes no owner. */
  private static PersistentVolume ofHostPath(PersistentVolumeClaim claim, Path directory)
      throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    return volume(claim).editSpec().withNewHostPath(directory.toString(), null).endSpec().build();
  }

  private static PersistentVolume local(PersistentVolumeClaim claim, Path directory) {
    return volume(claim)
        .editSpec()
        .withNewLocal()
        .withPath(directory.toString())
        .endLocal()
        .endSpec()
        .build();
  }

  private static PersistentVolumeBuilder volume(PersistentVolumeClaim claim) {
    return new PersistentVolumeBuilder()
        .withNewMetadata()
        .withName(name(claim))
        // Kubernetes leaves the deletion to whoever this is.
        .addToAnnotations("pv.kubernetes.io/provisioned-by", "local.test.sei.io")
        .endMetadata()
        .withNewSpec()
        .withAccessModes(claim.getSpec().getAccessModes())
        .withCapacity(claim.getSpec().getResources().getRequests())
        .withStorageClassName(claim.getSpec().getStorageClassName())
        .withPersistentVolumeReclaimPolicy(DELETE)
        .withNewClaimRef()
        .withNamespace(claim.getMetadata().getNamespace())
        .withName(claim.getMetadata().getName())
        .withUid(claim.getMetadata().getUid())
        .endClaimRef()
        .withNewNodeAffinity()
        .withNewRequired()
        .addNewNodeSelectorTerm()
        .addNewMatchExpression()
        .withKey("kubernetes.io/hostname")
        .withOperator("In")
        .withValues(Machine.NAME)
        .endMatchExpression()
        .endNodeSelectorTerm()
        .endRequired()
        .endNodeAffinity()
        .endSpec();
  }

  @Override
  public void close() {
    claims.stop();
  }
}
