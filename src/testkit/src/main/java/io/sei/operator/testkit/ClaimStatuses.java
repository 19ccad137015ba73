package io.sei.operator.testkit;

import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/**
 * Records the statuses of the one claim of a namespace about its size, one change after the other:
 * the change in progress, and the size of the volume. *
 *
 * <p>Seen on Kubernetes 1.37.2 with external-resizer 2.3 and a driver that grows what is mounted:
 * {@link #growth}, within a second. The claim also says in {@code allocatedResourceStatuses} {@code
 * ControllerResizeInProgress}, {@code NodeResizePending} and {@code NodeResizeInProgress}. A
 * container that waits to be started again does not keep the kubelet from it.
 */
public final class ClaimStatuses implements Watcher<PersistentVolumeClaim>, AutoCloseable {

  private final List<String> said = new CopyOnWriteArrayList<>();
  private final Watch watch;

  /** Begins with what the claim says at present. */
  public ClaimStatuses(KubernetesClient client, String namespace) {
    watch = client.persistentVolumeClaims().inNamespace(namespace).watch(this);
  }

  /** Returns the statuses of a volume that grows from one size to another. */
  public static List<String> growth(String from, String to) {
    return List.of(from, "Resizing " + from, "Resizing FileSystemResizePending " + from, to);
  }

  /**
   * Returns the statuses where the driver grows no file system that is mounted, and answers {@code
   * FailedPrecondition}: the kubelet tries once, and has it grow in the next pod.
   */
  public static List<String> growthAtMount(String from, String to) {
    return List.of(
        from,
        "Resizing " + from,
        "Resizing FileSystemResizePending " + from,
        "Resizing FileSystemResizePending NodeResizeError " + from,
        to);
  }

  /** All of them. */
  public List<String> said() {
    return List.copyOf(said);
  }

  @Override
  public void eventReceived(Action action, PersistentVolumeClaim claim) {
    String now = describe(claim.getStatus());
    if (said.isEmpty() || !said.getLast().equals(now)) {
      said.add(now);
    }
  }

  private static String describe(PersistentVolumeClaimStatus status) {
    Stream<String> conditions =
        status.getConditions().stream()
            .filter(
                condition ->
                    condition.getType().contains("Resiz") && "True".equals(condition.getStatus()))
            .map(condition -> condition.getType());
    Stream<String> size = status.getCapacity().values().stream().map(Object::toString);
    return String.join(" ", Stream.concat(conditions, size).toList());
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
