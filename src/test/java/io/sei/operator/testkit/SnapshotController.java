package io.sei.operator.testkit;

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
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.UUID;

/**
 * What of the snapshot controller and a CSI driver is to be seen at the API server, in one
 * namespace. Everything it does was read in external-snapshotter v8.7.0, where {@code
 * snapshot_controller.go} is that of {@code pkg/common-controller}.
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

  /** What the driver does. */
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
  public static void makeDue(KubernetesClient client, SeiNodeDeployment fleet) {
    client.resource(fleet).subresource("status").patch(PatchContext.of(PatchType.JSON_MERGE), DUE);
    // A status alone wakes nobody.
    client
        .resource(fleet)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\":{\"annotations\":{\"sei.io/explain\":\"%s\"}}}"
                .formatted(UUID.randomUUID()));
  }

  /** From now on the driver does this, also to what waits for it. */
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
