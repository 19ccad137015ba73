package io.sei.operator.testkit.machine;

import static org.awaitility.Awaitility.await;

import io.sei.operator.testkit.controlplane.ComponentProcess;
import io.sei.operator.testkit.controlplane.SnapshotCrds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Storage that can take snapshots and grow: the driver of {@code src/test/go/node/csi}, and what
 * stands beside a driver in a cluster, which is external-provisioner, external-resizer,
 * csi-snapshotter and snapshot-controller. Its classes are in {@code machine/csi.yaml}.
 */
public final class SnapshotStorage implements AutoCloseable {

  /** The StorageClass, and the VolumeSnapshotClass without faults. */
  public static final String CLASS = "snapshots";

  /** The StorageClass whose volumes have no more room than was asked for. */
  public static final String LIMITED = "limited";

  /** Class whose file systems grow only when they are mounted again. */
  public static final String GROWS_AT_MOUNT = "grows-at-mount";

  /** Class whose volumes grow only while no pod has them. */
  public static final String GROWS_DETACHED = "grows-detached";

  static final Set<String> CLASSES = Set.of(CLASS, LIMITED, GROWS_AT_MOUNT, GROWS_DETACHED);

  /**
   * Longest interval between two attempts of a CSI sidecar; by default it grows to five minutes.
   */
  static final String RETRY = "--retry-interval-max=2s";

  private static final String DRIVER = "csi.test.sei.io";
  private static final String ADDRESS =
      "--csi-address=/var/lib/kubelet/plugins/" + DRIVER + "/csi.sock";

  private final Machine machine;
  private final List<ComponentProcess> processes = new ArrayList<>();

  /** A VolumeSnapshotClass with parameters of the driver, such as {@code fault: full}. */
  public static String snapshotClass(String name, String parameters) {
    return """
    apiVersion: snapshot.storage.k8s.io/v1
    kind: VolumeSnapshotClass
    metadata: {name: %s}
    driver: %s
    deletionPolicy: Delete
    parameters: {%s}
    """
        .formatted(name, DRIVER, parameters);
  }

  /** A VolumeAttributesClass with parameters of the driver, such as {@code iops: "8000"}. */
  public static String attributesClass(String name, String parameters) {
    return """
    apiVersion: storage.k8s.io/v1
    kind: VolumeAttributesClass
    metadata: {name: %s}
    driverName: %s
    parameters: {%s}
    """
        .formatted(name, DRIVER, parameters);
  }

  private SnapshotStorage(Machine machine) {
    this.machine = machine;
  }

  /** Starts everything, and returns when the kubelet knows the driver. */
  static SnapshotStorage start(Machine machine) {
    var storage = new SnapshotStorage(machine);
    try {
      storage.start();
      return storage;
    } catch (RuntimeException e) {
      storage.close();
      throw e;
    }
  }

  private void start() {
    SnapshotCrds.install(machine.client());
    Path manifest = Path.of("src", "test", "resources", "machine", "csi.yaml");
    machine.kubectl("apply", "-f", manifest.toAbsolutePath().toString());
    run("csi", "-name=" + DRIVER, "-node=" + Machine.NAME, "-state=/var/lib/volumes/csi");
    String kubeconfig = "--kubeconfig=" + machine.kubeconfig();
    processes.addAll(startSnapshotters(machine, ADDRESS));
    run("csi-provisioner", kubeconfig, ADDRESS, RETRY);
    run("csi-resizer", kubeconfig, ADDRESS, RETRY);
    await("storage driver " + DRIVER).atMost(Duration.ofMinutes(1)).until(this::isRegistered);
  }

  /** Starts snapshot-controller, and csi-snapshotter for the driver at an address. */
  static List<ComponentProcess> startSnapshotters(Machine machine, String driverAddress) {
    String kubeconfig = "--kubeconfig=" + machine.kubeconfig();
    return List.of(
        machine.runProgram("snapshot-controller", kubeconfig, RETRY),
        // How long a driver has to answer; a minute by default.
        machine.runProgram("csi-snapshotter", kubeconfig, driverAddress, RETRY, "--timeout=5s"));
  }

  private void run(String program, String... arguments) {
    processes.add(machine.runProgram(program, arguments));
  }

  private boolean isRegistered() {
    processes.forEach(ComponentProcess::requireAlive);
    return machine.kubectl("get", "csinodes", "-o", "jsonpath={..drivers[*].name}").equals(DRIVER);
  }

  @Override
  public void close() {
    processes.forEach(ComponentProcess::kill);
  }
}
