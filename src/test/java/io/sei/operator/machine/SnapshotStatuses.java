package io.sei.operator.machine;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshot;
import io.fabric8.volumesnapshot.api.model.VolumeSnapshotStatus;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Records the statuses of the one VolumeSnapshot of a namespace, one change after the other. */
final class SnapshotStatuses implements Watcher<VolumeSnapshot>, AutoCloseable {

  private final List<String> said = new CopyOnWriteArrayList<>();
  private final Watch watch;

  SnapshotStatuses(KubernetesClient client, String namespace) {
    watch = client.resources(VolumeSnapshot.class).inNamespace(namespace).watch(this);
  }

  List<String> said() {
    return List.copyOf(said);
  }

  @Override
  public void eventReceived(Action action, VolumeSnapshot snapshot) {
    String now = describe(snapshot.getStatus());
    if (said.isEmpty() || !said.get(said.size() - 1).equals(now)) {
      said.add(now);
    }
  }

  private static String describe(VolumeSnapshotStatus status) {
    if (status == null) {
      return "no status";
    }
    return (status.getBoundVolumeSnapshotContentName() == null ? "" : "bound ")
        + (status.getCreationTime() == null ? "" : "taken ")
        + (status.getRestoreSize() == null ? "" : "sized ")
        + (status.getError() == null ? "" : "error ")
        + "ready=%s".formatted(status.getReadyToUse());
  }

  @Override
  public void onClose(WatcherException cause) {
    said.add("the watch ended: " + cause);
  }

  @Override
  public void close() {
    watch.close();
  }
}
