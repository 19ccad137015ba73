package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshotBuilder;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshotClass;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshotClassBuilder;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshotStatus;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshotStatusBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;

/**
 * What of the snapshot controller and a CSI driver is to be seen at the API server, in one
 * namespace. Everything it does was read in external-snapshotter v8.7.0, where {@code
 * snapshot_controller.go} is that of {@code pkg/common-controller}, or was seen on Kubernetes
 * 1.37.2 with that version ({@code SnapshotStorageTest}):
 *
 * <p>A new VolumeSnapshot has no status, and without a snapshot controller there never is one. Once
 * it is seen, it has {@code boundVolumeSnapshotContentName: snapcontent-UID} and {@code readyToUse:
 * false}, and the claim the finalizer {@code pvc-as-source-protection}; once it is taken, also
 * {@code restoreSize} and {@code creationTime}, in whole seconds by the driver's clock. A driver
 * that uploads it then is asked again after 1, 2, 4 s, at most every 5 minutes. When it is ready,
 * the claim's finalizer goes; a quick driver does all that within a second. A driver that refuses
 * leads to {@code error} after 0.1 s, one that does not answer after a minute ({@code --timeout} of
 * csi-snapshotter), a missing class at once, a claim that is missing or not bound after 2 s.
 *
 * <ul>
 *   <li>No error is final. Each is tried again, after 1 s at first and 5 minutes in the end. Once
 *       the cause is gone, the snapshot is taken at that moment and {@code error} is removed: a
 *       snapshot that nobody waits for any more must be deleted, and {@code creationTime} tells
 *       whether it was taken while its node was stopped.
 *   <li>Deleting one that the driver has not answered does not stop it. It stays Terminating with
 *       the finalizer {@code volumesnapshot-bound-protection}. When the driver answers again, a
 *       snapshot is taken, which the VolumeSnapshot does not show, and removed at once or at
 *       csi-snapshotter's next resync.
 *   <li>The claim stays Terminating while a snapshot of it is under way; deleting the snapshot ends
 *       that at once.
 *   <li>A deleted snapshot stays Terminating while a Pending claim names it as its source (Event
 *       {@code SnapshotDeletePending}), even one that can never be bound. Claims that are bound do
 *       not hold it, and keep their data.
 *   <li>A claim whose {@code dataSource} is a snapshot that does not exist, is not ready, is being
 *       deleted, or is larger than the claim gets the Event {@code ProvisioningFailed}, and is
 *       tried again until the snapshot will do. With {@code WaitForFirstConsumer} nothing happens
 *       before a pod uses it; that pod stays Pending and has no event of its own.
 * </ul>
 */
public final class SnapshotController implements AutoCloseable {

  /** A class that is there. */
  public static final String CLASS = "copies";

  /** A class that is there, and whose snapshots outlive what is deleted of them. */
  public static final String RETAINING_CLASS = "retains";

  /** {@code utils/util.go}, VolumeSnapshotBoundFinalizer. */
  private static final String FINALIZER =
      "snapshot.storage.kubernetes.io/volumesnapshot-bound-protection";

  private static final String DUE =
      "{\"status\":{\"snapshots\":{\"nextScheduleTime\":\"2026-01-01T00:00:00Z\",\"latest\":null}}}";

  /** Behaviour of the driver. */
  public enum Driver {
    /** Takes a snapshot, which can be used at once. */
    TAKES,
    /** Takes a snapshot, and copies it elsewhere for ever. */
    COPIES,
    /** Answers that it has no room; asked again once it has, it takes the snapshot. */
    IS_FULL,
    /** Does not answer. */
    IS_SILENT
  }

  private final KubernetesClient client;
  private final SharedIndexInformer<VolumeSnapshot> informer;
  private volatile Driver driver;

  /** Starts it. */
  public SnapshotController(KubernetesClient client, String namespace, Driver driver) {
    this.client = client;
    this.driver = driver;
    createClass(client, CLASS, "Delete");
    createClass(client, RETAINING_CLASS, "Retain");
    informer =
        client
            .resources(VolumeSnapshot.class)
            .inNamespace(namespace)
            .inform(
                new ResourceEventHandler<>() {
                  @Override
                  public void onAdd(VolumeSnapshot snapshot) {
                    sync(snapshot);
                  }

                  @Override
                  public void onUpdate(VolumeSnapshot before, VolumeSnapshot snapshot) {
                    sync(snapshot);
                  }

                  @Override
                  public void onDelete(VolumeSnapshot snapshot, boolean unknown) {}
                });
  }

  private static void createClass(KubernetesClient client, String name, String deletionPolicy) {
    client
        .resource(
            new VolumeSnapshotClassBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withDriver("copies.example.com")
                .withDeletionPolicy(deletionPolicy)
                .build())
        .createOr(NonDeletingOperation::update);
  }

  /** Has the next snapshot of a fleet be due since a moment ago, and the last one forgotten. */
  public static void makeDue(KubernetesClient client, HasMetadata fleet) {
    client.resource(fleet).subresource("status").patch(PatchContext.of(PatchType.JSON_MERGE), DUE);
    // A status alone wakes nobody.
    client
        .resource(fleet)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"annotations\":{\"sei.io/explain\":\"%s\"}}}"
                .formatted(UUID.randomUUID()));
  }

  /** Sets the behaviour of the driver, also for snapshots that wait for it. */
  public void become(Driver other) {
    driver = other;
    informer.getStore().list().forEach(this::sync);
  }

  private void sync(VolumeSnapshot seen) {
    VolumeSnapshot snapshot = client.resource(seen).get();
    if (snapshot == null) {
      return;
    }
    if (snapshot.isMarkedForDeletion()) {
      // processSnapshotWithDeletionTimestamp: once the content is gone.
      edit(snapshot, List.of());
    } else if (snapshot.getMetadata().getFinalizers().isEmpty()) {
      // syncSnapshot, checkandAddSnapshotFinalizers: before anything else.
      edit(snapshot, List.of(FINALIZER));
    } else if (driver != Driver.IS_SILENT && snapshot.getStatus() == null) {
      client
          .resource(new VolumeSnapshotBuilder(snapshot).withStatus(status(snapshot)).build())
          .updateStatus();
    } else if (driver == Driver.TAKES && snapshot.getStatus().getReadyToUse() == false) {
      // updateSnapshotStatus takes the error away with the content's.
      client
          .resource(new VolumeSnapshotBuilder(snapshot).withStatus(status(snapshot)).build())
          .updateStatus();
    }
  }

  private void edit(VolumeSnapshot snapshot, List<String> finalizers) {
    client
        .resource(
            new VolumeSnapshotBuilder(snapshot)
                .editMetadata()
                .withFinalizers(finalizers)
                .endMetadata()
                .build())
        .update();
  }

  private VolumeSnapshotStatus status(VolumeSnapshot snapshot) {
    String name = snapshot.getSpec().getVolumeSnapshotClassName();
    if (name == null) {
      // checkAndUpdateSnapshotClass, SetDefaultSnapshotClass: no class here is the default.
      return error(
          "Failed to set default snapshot class with error cannot find default snapshot class");
    }
    if (client.resources(VolumeSnapshotClass.class).withName(name).get() == null) {
      // createSnapshotContent: updateSnapshotErrorStatusWithEvent with this message.
      return error("Failed to get snapshot class with error volumesnapshotclass not found");
    }
    String content = "snapcontent-" + snapshot.getMetadata().getUid();
    return switch (driver) {
      // updateSnapshotStatus takes it over from the content, with its error.
      case IS_FULL -> {
        VolumeSnapshotStatus status =
            error("Failed to check and update snapshot content: no space left");
        status.setBoundVolumeSnapshotContentName(content);
        yield status;
      }
      case TAKES, COPIES ->
          new VolumeSnapshotStatusBuilder()
              .withBoundVolumeSnapshotContentName(content)
              .withCreationTime(Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
              .withRestoreSize(new Quantity("1Gi"))
              .withReadyToUse(driver == Driver.TAKES)
              .build();
      case IS_SILENT -> throw new IllegalStateException("says nothing");
    };
  }

  private static VolumeSnapshotStatus error(String message) {
    return new VolumeSnapshotStatusBuilder()
        .withReadyToUse(false)
        .withNewError(message, Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
        .build();
  }

  @Override
  public void close() {
    informer.stop();
  }
}
