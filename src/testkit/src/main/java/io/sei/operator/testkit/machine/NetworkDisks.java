package io.sei.operator.testkit.machine;

import static org.awaitility.Awaitility.await;

import io.sei.operator.testkit.controlplane.ComponentProcess;
import io.sei.operator.testkit.controlplane.SnapshotCrds;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Volumes that follow their pods from machine to machine, each attached to one at a time: the
 * driver of {@code src/test/go/node/csi} with {@code -attach}, external-provisioner and
 * external-attacher. Their StorageClass, in {@code machine/disks.yaml}, is the default one.
 */
final class NetworkDisks implements AutoCloseable {

  private static final String DRIVER = "disk.test.sei.io";
  private static final String STATE = "-state=/var/lib/volumes/disks";
  private static final String ADDRESS =
      "--csi-address=/var/lib/kubelet/plugins/" + DRIVER + "/csi.sock";

  private final Machine machine;
  private final List<ComponentProcess> processes = new ArrayList<>();

  private NetworkDisks(Machine machine) {
    this.machine = machine;
  }

  /** Starts everything, and returns when all kubelets know the driver. */
  static NetworkDisks start(Machine machine) {
    var disks = new NetworkDisks(machine);
    try {
      disks.start();
      return disks;
    } catch (RuntimeException e) {
      disks.close();
      throw e;
    }
  }

  private void start() {
    apply("disks.yaml");
    run("csi", "-name=" + DRIVER, "-attach", STATE, "-freezer=" + freezer());
    String kubeconfig = "--kubeconfig=" + machine.kubeconfig();
    run("csi-provisioner", kubeconfig, ADDRESS, SnapshotStorage.RETRY);
    run("csi-attacher", kubeconfig, ADDRESS, SnapshotStorage.RETRY);
    machine.workers().forEach(NetworkDisks::runNode);
    await("storage driver " + DRIVER).atMost(Duration.ofMinutes(1)).until(this::isRegistered);
  }

  /** Starts what takes snapshots of the disks, and creates a VolumeSnapshotClass for them. */
  void startSnapshots() {
    SnapshotCrds.install(machine.client());
    apply("disk-snapshots.yaml");
    processes.addAll(SnapshotStorage.startSnapshotters(machine, ADDRESS));
  }

  /** Starts the driver on a machine, as a DaemonSet does after a machine was switched on again. */
  static void runNode(Worker worker) {
    worker.run(
        "csi", "-name=" + DRIVER, "-attach", "-controller=false", "-node=" + worker.name(), STATE);
  }

  private static String freezer() {
    Path first = Path.of("/sys/fs/cgroup/freezer");
    return (first.toFile().isDirectory() ? first : first.getParent()) + "/sei-operator-node";
  }

  private void apply(String manifest) {
    Path file = Path.of("src", "test", "resources", "machine", manifest);
    machine.kubectl("apply", "-f", file.toAbsolutePath().toString());
  }

  private void run(String program, String... arguments) {
    processes.add(machine.runProgram(program, arguments));
  }

  private boolean isRegistered() {
    processes.forEach(ComponentProcess::requireAlive);
    String drivers = machine.kubectl("get", "csinodes", "-o", "jsonpath={..drivers[*].name}");
    return drivers.split(" ").length == machine.workers().size();
  }

  @Override
  public void close() {
    processes.forEach(ComponentProcess::kill);
  }
}
