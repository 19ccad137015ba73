package io.sei.operator.testkit.machine;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.readiness.Readiness;
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
import java.util.stream.IntStream;

/**
 * This machine as a Kubernetes cluster: a {@link ControlPlane}, a scheduler and {@link Worker}s,
 * with cluster DNS, volumes, and a registry of its own that stands in for every other. The operator
 * is installed in it. There is one worker, the machine itself, whose volumes are directories; or
 * there are three beside it, whose volumes are {@link NetworkDisks}.
 *
 * <p>To be run by {@code hack/as-machine.sh}, which makes the machine and takes it away.
 */
public final class Machine implements AutoCloseable {

  /** The name of the Node, if there is one. */
  public static final String NAME = "machine";

  /** The namespace and the release of the operator. */
  public static final String OPERATOR = "sei-operator";

  /** ConfigMap with the releases that {@link Chain} plays, which extends the operator's list. */
  public static final String RELEASES = "sei-releases";

  /** The address of the bridge that {@code hack/as-machine.sh} makes. */
  static final String ADDRESS = "10.245.0.1";

  /** Longest back-off of the kubelet; a short one shows a crash loop in seconds. */
  public static final String LONGEST_BACKOFF = System.getProperty("backoff", "5s");

  private static final Path CHART =
      ControlPlaneBinaries.projectDirectory().resolve("deploy/helm/sei-operator");

  private static final Duration SOON = Duration.ofMinutes(2);

  /** Values of the chart that have the operator on the first of three machines. */
  public static final List<String> ON_FIRST =
      List.of("nodeSelector.kubernetes\\.io/hostname=" + NAME + "-1");

  private final ControlPlane controlPlane;
  private final Path kubeconfig;
  private final List<Worker> workers;
  private final List<ComponentProcess> processes = new ArrayList<>();
  private LocalVolumes volumes;
  private NetworkDisks disks;
  private SnapshotStorage snapshotStorage;
  private boolean takesSnapshots;

  private Machine(ControlPlane.Options options, int beside) {
    if (!Files.isDirectory(MachineFiles.DIRECTORY)) {
      throw new IllegalStateException("this is no machine of its own: run 'make test-node'");
    }
    controlPlane = ControlPlane.start(options.at(ADDRESS));
    kubeconfig = controlPlane.kubeconfig(ControlPlane.ADMIN);
    workers =
        beside == 0
            ? List.of(Worker.here(kubeconfig, logs()))
            : IntStream.rangeClosed(1, beside)
                .mapToObj(number -> Worker.beside(number, kubeconfig, logs()))
                .toList();
  }

  /** Starts everything, and returns when the Node is Ready and names are resolved. */
  public static Machine start() {
    var machine = new Machine(ControlPlane.Options.defaults(), 0);
    return machine.started(() -> machine.volumes = new LocalVolumes(machine.client()));
  }

  /** Starts a machine with three Nodes, and disks that follow their pods. */
  public static Machine startThree() {
    var machine = new Machine(ControlPlane.Options.defaults().losingNodesSoon(), 3);
    return machine.started(() -> machine.disks = NetworkDisks.start(machine));
  }

  private Machine started(Runnable storage) {
    try {
      startRegistry();
      startScheduler();
      workers.forEach(Worker::powerOn);
      workers.forEach(this::awaitReady);
      storage.run();
      startDns();
      makeNamespace();
      installOperator(disks == null ? List.of() : ON_FIRST);
      return this;
    } catch (RuntimeException e) {
      close();
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

  /** Returns the directory of the components' logs. */
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
    if (takesSnapshots) {
      return;
    }
    if (disks == null) {
      snapshotStorage = SnapshotStorage.start(this);
    } else {
      disks.startSnapshots();
    }
    takesSnapshots = true;
  }

  /** The computers that are Nodes. */
  public List<Worker> workers() {
    return workers;
  }

  /** The worker that a Node is. */
  public Worker worker(String node) {
    return workers.stream()
        .filter(worker -> worker.name().equals(node))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no worker " + node));
  }

  /** Kills the kubelet: pods go on, and nothing looks after them. */
  public void stopKubelet() {
    workers.getFirst().stopKubelet();
  }

  /** Starts the kubelet and waits until its Node is Ready. */
  public void startKubelet() {
    workers.getFirst().startKubelet();
    awaitReady(workers.getFirst());
  }

  /** Starts a machine that was switched off, and what a DaemonSet would start on it. */
  public void powerOn(Worker worker) {
    worker.powerOn();
    NetworkDisks.runNode(worker);
  }

  /** Waits until a Node is Ready. */
  public void awaitReady(Worker worker) {
    await("node " + worker.name())
        .atMost(SOON)
        .until(
            () -> {
              processes.forEach(ComponentProcess::requireAlive);
              worker.requireAlive();
              return isReady(worker);
            });
  }

  private void startRegistry() {
    Path list = Images.make();
    processes.add(runProgram("images", "-list=" + list, "-listen=" + MachineFiles.REGISTRY));
  }

  private void startScheduler() {
    processes.add(
        run(
            "kube-scheduler",
            Tools.component("kube-scheduler").toString(),
            "--kubeconfig=" + kubeconfig,
            "--authentication-kubeconfig=" + kubeconfig,
            "--authorization-kubeconfig=" + kubeconfig,
            "--leader-elect=false"));
  }

  private void startDns() {
    Path manifest = Path.of("src", "test", "resources", "machine", "coredns.yaml");
    kubectl("apply", "-f", manifest.toAbsolutePath().toString());
    if (disks != null) {
      // A test takes the others away, and this is not what it is about.
      String first =
          "{\"spec\":{\"template\":{\"spec\":{\"nodeSelector\":{\"kubernetes.io/hostname\":\"%s-1\"}}}}}";
      kubectl("-n", "kube-system", "patch", "deployment", "coredns", "-p", first.formatted(NAME));
    }
    kubectl("-n", "kube-system", "rollout", "status", "deployment/coredns", "--timeout=2m");
  }

  /** The directory that is the volume of a claim. */
  public Path volume(String namespace, String claim) {
    return LocalVolumes.directory(
        client().persistentVolumeClaims().inNamespace(namespace).withName(claim).get());
  }

  private void makeNamespace() {
    kubectl("create", "namespace", OPERATOR);
    kubectl(
        "-n",
        OPERATOR,
        "create",
        "configmap",
        RELEASES,
        "--from-file=releases.yaml="
            + Path.of("src", "test", "resources", "machine", "releases.yaml").toAbsolutePath());
    kubectl("label", "namespace", OPERATOR, "pod-security.kubernetes.io/enforce=restricted");
    System.out.println("NetworkPolicies are applied here, and nobody enforces them.");
  }

  /** Starts a program of the tools beside the API server; the caller ends it. */
  ComponentProcess runProgram(String name, String... arguments) {
    List<String> command = new ArrayList<>(List.of(Tools.program(name).toString()));
    command.addAll(List.of(arguments));
    return run(name, command.toArray(String[]::new));
  }

  private ComponentProcess run(String name, String... command) {
    return ComponentProcess.start(name, logs().resolve(name + ".log"), List.of(command));
  }

  /** Returns whether a Node is there and Ready. */
  public boolean isReady(Worker worker) {
    Node node = client().nodes().withName(worker.name()).get();
    return node != null && Readiness.getInstance().isReady(node);
  }

  @Override
  public void close() {
    if (volumes != null) {
      volumes.close();
    }
    if (disks != null) {
      disks.close();
    }
    if (snapshotStorage != null) {
      snapshotStorage.close();
    }
    workers.forEach(Worker::powerOff);
    processes.forEach(ComponentProcess::kill);
    controlPlane.close();
  }
}
