package io.sei.operator.testkit.machine;

import static org.awaitility.Awaitility.await;

import io.sei.operator.testkit.controlplane.ComponentProcess;
import io.sei.operator.testkit.controlplane.ControlPlaneBinaries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A computer with containerd, a kubelet and kube-proxy, which make it a Kubernetes node: the one
 * that the tests run on, or one beside it with namespaces of its own, which {@code
 * hack/as-machine.sh} makes. The network link of one beside it can be cut, and its power be lost.
 */
public final class Worker {

  private static final Duration SOON = Duration.ofMinutes(2);

  private final String name;
  private final int number;
  private final Path kubeconfig;
  private final Path logs;
  private final List<ComponentProcess> processes = new ArrayList<>();
  private ComponentProcess namespaces;
  private ComponentProcess kubelet;
  private List<String> entrance = List.of();
  private MachineFiles files = new MachineFiles(Path.of("/"));

  private Worker(String name, int number, Path kubeconfig, Path logs) {
    this.name = name;
    this.number = number;
    this.kubeconfig = kubeconfig;
    this.logs = logs;
  }

  /** The machine that the tests run on. */
  static Worker here(Path kubeconfig, Path logs) {
    return new Worker(Machine.NAME, 0, kubeconfig, logs);
  }

  /** A machine beside it, from 1 on. */
  static Worker beside(int number, Path kubeconfig, Path logs) {
    return new Worker(Machine.NAME + "-" + number, number, kubeconfig, logs);
  }

  /** The name of the Node, and of the network link. */
  public String name() {
    return name;
  }

  private boolean isHere() {
    return number == 0;
  }

  private String address() {
    return isHere() ? Machine.ADDRESS : "10.245.0.1" + number;
  }

  private String podRange() {
    return isHere() ? "10.245.0.0/24" : "10.244.%d.0/24".formatted(number);
  }

  /** Starts all of it; its Node becomes Ready some seconds later. */
  public void powerOn() {
    if (!isHere()) {
      makeNamespaces();
    }
    Path configuration = files.containerd(podRange(), isHere());
    processes.add(
        start(
            "containerd",
            Tools.debian("usr/bin/containerd").toString(),
            "--config=" + configuration));
    await("containerd of " + name).atMost(SOON).until(files::hasContainerd);
    startKubelet();
    processes.add(
        start(
            "kube-proxy",
            Tools.component("kube-proxy").toString(),
            "--kubeconfig=" + kubeconfig,
            "--proxy-mode=iptables",
            "--hostname-override=" + name,
            "--cluster-cidr=" + (isHere() ? podRange() : "10.244.0.0/16"),
            // Limits of the whole kernel are not ours to set.
            "--conntrack-max-per-core=0"));
  }

  /** Ends everything on it at once, containers included; what is on its disks stays. */
  public void powerOff() {
    processes.forEach(ComponentProcess::kill);
    processes.clear();
    if (kubelet != null) {
      kubelet.kill();
    }
    if (namespaces != null) {
      namespaces.kill();
    }
  }

  /** Cuts its network link: its containers run on. */
  public void cutOff() {
    setLink("down");
  }

  /** Restores its network link. */
  public void reconnect() {
    setLink("up");
  }

  /** Returns whether a program of that name runs on it, in any container. */
  public boolean runs(String program) {
    try (Stream<Path> processes = Files.list(files.root().resolve("proc"))) {
      return processes.anyMatch(process -> program.equals(nameOf(process)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String nameOf(Path process) {
    try {
      return Files.readString(process.resolve("comm")).strip();
    } catch (IOException e) {
      // No process, or one that has just ended.
      return "";
    }
  }

  private void setLink(String state) {
    Run.quietly(Map.of(), "ip", "link", "set", name, state);
  }

  /** Starts the kubelet. */
  void startKubelet() {
    String group = "/sei-operator-node" + (isHere() ? "" : "/" + name);
    kubelet =
        start(
            "kubelet",
            Tools.component("kubelet").toString(),
            "--config=" + files.kubelet(group, Machine.LONGEST_BACKOFF),
            "--kubeconfig=" + kubeconfig,
            "--hostname-override=" + name,
            "--node-ip=" + address());
  }

  /** Kills the kubelet: pods go on, and nothing looks after them. */
  void stopKubelet() {
    kubelet.kill();
  }

  /** Starts one more program on it, which ends with it. */
  void run(String program, String... arguments) {
    List<String> command = new ArrayList<>(List.of(arguments));
    command.addFirst(Tools.program(program).toString());
    processes.add(start(program, command.toArray(String[]::new)));
  }

  void requireAlive() {
    processes.forEach(ComponentProcess::requireAlive);
    kubelet.requireAlive();
  }

  private void makeNamespaces() {
    Path first = MachineFiles.DIRECTORY.resolve(name + ".pid");
    try {
      Files.deleteIfExists(first);
      Path script = ControlPlaneBinaries.projectDirectory().resolve("hack/as-machine.sh");
      namespaces =
          ComponentProcess.start(
              name,
              logs.resolve(name + ".log"),
              List.of(script.toString(), "--worker", name, String.valueOf(number)));
      await("namespaces of " + name)
          .atMost(SOON)
          .until(
              () -> {
                namespaces.requireAlive();
                return Files.exists(first) && !Files.readString(first).isBlank();
              });
      String pid = Files.readString(first).strip();
      files = new MachineFiles(Path.of("/proc", pid, "root"));
      entrance =
          List.of(
              ("nsenter --target " + pid + " --net --mount --pid --uts -- setpriv --pdeathsig KILL")
                  .split(" "));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ComponentProcess start(String program, String... command) {
    List<String> all = new ArrayList<>(entrance);
    all.addAll(List.of(command));
    String log = isHere() ? program : program + "-of-" + name;
    return ComponentProcess.start(log, logs.resolve(log + ".log"), all);
  }
}
