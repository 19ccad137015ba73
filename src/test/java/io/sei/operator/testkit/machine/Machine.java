package io.sei.operator.testkit.machine;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.testkit.controlplane.ComponentProcess;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.ControlPlaneBinaries;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/**
 * This machine as the one node of a Kubernetes cluster: scheduler, kubelet, kube-proxy and
 * containerd beside a {@link ControlPlane}, with cluster DNS, volumes out of directories, and a
 * registry of its own that stands in for every other. The operator is installed in it.
 *
 * <p>To be run by {@code hack/as-machine.sh}, which makes the machine and takes it away.
 */
public final class Machine implements AutoCloseable {

  /** The name of the Node. */
  public static final String NAME = "machine";

  /** The namespace and the release of the operator. */
  public static final String OPERATOR = "sei-operator";

  /** The address of the bridge that {@code hack/as-machine.sh} makes. */
  static final String ADDRESS = "10.245.0.1";

  /** Of the kubelet; short ones show a crash loop in seconds. */
  public static final String LONGEST_BACKOFF = System.getProperty("backoff", "5s");

  private static final Path CHART =
      ControlPlaneBinaries.projectDirectory().resolve("deploy/helm/sei-operator");

  private static final Duration SOON = Duration.ofMinutes(2);

  private final ControlPlane controlPlane;
  private final Path kubeconfig;
  private final List<ComponentProcess> processes = new ArrayList<>();
  private final LocalVolumes volumes;
  private ComponentProcess kubelet;
  private SnapshotStorage snapshotStorage;

  private Machine() {
    controlPlane = ControlPlane.start(ControlPlane.Options.defaults().at(ADDRESS));
    kubeconfig = controlPlane.kubeconfig(ControlPlane.ADMIN);
    volumes = new LocalVolumes(controlPlane.client());
  }

  /** Starts everything, and returns when the Node is Ready and names are resolved. */
  public static Machine start() {
    if (!Files.isDirectory(MachineFiles.DIRECTORY)) {
      throw new IllegalStateException("this is no machine of its own: run 'make test-node'");
    }
    var machine = new Machine();
    try {
      machine.startRuntime();
      machine.startNode();
      machine.startDns();
      machine.makeNamespace();
      machine.installOperator(List.of());
      return machine;
    } catch (RuntimeException e) {
      machine.close();
      throw e;
    }
  }

  /** The administrator's client. */
  public KubernetesClient client() {
    return controlPlane.client();
  }

  /** A file with the administrator's kubeconfig. */
  public Path kubeconfig() {
    return kubeconfig;
  }

  /** Where the logs of the components are. */
  public Path logs() {
    return controlPlane.logDirectory();
  }

  /** Makes a namespace for nodes, as docs/install.md says, and returns its name. */
  public String createNamespace() {
    String namespace = "t-" + UUID.randomUUID().toString().substring(0, 8);
    kubectl("create", "namespace", namespace);
    kubectl("-n", namespace, "create", "serviceaccount", "sei-node");
    kubectl(
        "create",
        "clusterrolebinding",
        "sei-nodes-" + namespace,
        "--clusterrole=system:auth-delegator",
        "--serviceaccount=" + namespace + ":sei-node");
    return namespace;
  }

  /** Runs kubectl as the administrator; throws if it fails. */
  public String kubectl(String... arguments) {
    ControlPlane.KubectlResult result = controlPlane.kubectl(arguments);
    if (result.exitCode() != 0) {
      throw new IllegalStateException(
          "kubectl " + String.join(" ", arguments) + ": " + result.stderr() + result.stdout());
    }
    return result.stdout();
  }

  /** Runs Helm as the administrator; throws if it fails. */
  public String helm(String... arguments) {
    List<String> command = new ArrayList<>(List.of(Tools.program("helm").toString()));
    command.addAll(Arrays.asList(arguments));
    ControlPlane.KubectlResult result = controlPlane.callingKubectl("", command);
    if (result.exitCode() != 0) {
      throw new IllegalStateException(command + ": " + result.stderr() + result.stdout());
    }
    return result.stdout();
  }

  /** Runs a command of a shell at the root of the project, with kubectl and Helm on the path. */
  public ControlPlane.KubectlResult shell(String command) {
    return controlPlane.callingKubectl(
        Tools.program("helm").getParent().toString(), List.of("sh", "-c", command));
  }

  /**
   * Installs the operator from the chart, or upgrades it, with these values besides the chart's
   * defaults, such as {@code config.SEI_LOG_LEVEL=debug}; waits until it is Ready.
   */
  public void installOperator(List<String> values) {
    List<String> command =
        new ArrayList<>(
            List.of("upgrade", "--install", OPERATOR, CHART.toString(), "--namespace", OPERATOR));
    command.addAll(List.of("--reset-values", "--wait"));
    command.addAll(
        List.of(
            "--set",
            "networkPolicy.enabled=true,rbac.createKeys=true,config.SEI_SERVICE_ACCOUNT=sei-node"));
    values.forEach(value -> command.addAll(List.of("--set", value)));
    helm(command.toArray(String[]::new));
  }

  /** Has storage that can take snapshots, from the first call on. */
  public synchronized void startSnapshotStorage() {
    if (snapshotStorage == null) {
      snapshotStorage = SnapshotStorage.start(this);
    }
  }

  /** Kills the kubelet: pods go on, and nobody looks after them. */
  public void stopKubelet() {
    kubelet.kill();
  }

  /** Starts the kubelet and waits until its Node is Ready. */
  public void startKubelet() {
    kubelet =
        run(
            "kubelet",
            Tools.component("kubelet").toString(),
            "--config=" + MachineFiles.kubelet(LONGEST_BACKOFF),
            "--kubeconfig=" + kubeconfig,
            "--hostname-override=" + NAME,
            "--node-ip=" + ADDRESS);
    await("node " + NAME).atMost(SOON).until(this::isReady);
  }

  private void startRuntime() {
    Path list = Images.make();
    processes.add(
        run(
            "images",
            Tools.program("images").toString(),
            "-list=" + list,
            "-listen=" + MachineFiles.REGISTRY));
    processes.add(
        run(
            "containerd",
            Tools.debian("usr/bin/containerd").toString(),
            "--config=" + MachineFiles.containerd()));
    await("containerd").atMost(SOON).until(() -> Files.exists(MachineFiles.CONTAINERD_SOCKET));
  }

  private void startNode() {
    processes.add(
        run(
            "kube-scheduler",
            Tools.component("kube-scheduler").toString(),
            "--kubeconfig=" + kubeconfig,
            "--authentication-kubeconfig=" + kubeconfig,
            "--authorization-kubeconfig=" + kubeconfig,
            "--leader-elect=false"));
    startKubelet();
    processes.add(
        run(
            "kube-proxy",
            Tools.component("kube-proxy").toString(),
            "--kubeconfig=" + kubeconfig,
            "--proxy-mode=iptables",
            "--hostname-override=" + NAME,
            "--cluster-cidr=10.245.0.0/24",
            // Limits of the whole kernel are not ours to set.
            "--conntrack-max-per-core=0"));
  }

  private void startDns() {
    Path manifest = Path.of("src", "test", "resources", "machine", "coredns.yaml");
    kubectl("apply", "-f", manifest.toAbsolutePath().toString());
    kubectl("-n", "kube-system", "rollout", "status", "deployment/coredns", "--timeout=2m");
  }

  private void makeNamespace() {
    kubectl("create", "namespace", OPERATOR);
    kubectl("label", "namespace", OPERATOR, "pod-security.kubernetes.io/enforce=restricted");
    System.out.println("NetworkPolicies are applied here, and nobody enforces them.");
  }

  private ComponentProcess run(String name, String... command) {
    return ComponentProcess.start(name, logs().resolve(name + ".log"), List.of(command));
  }

  private boolean isReady() {
    processes.forEach(ComponentProcess::requireAlive);
    kubelet.requireAlive();
    return kubectl("get", "nodes").matches("(?s).*\\b" + NAME + " +Ready .*");
  }

  @Override
  public void close() {
    volumes.close();
    if (snapshotStorage != null) {
      snapshotStorage.close();
    }
    if (kubelet != null) {
      kubelet.kill();
    }
    processes.forEach(ComponentProcess::kill);
    controlPlane.close();
  }
}
