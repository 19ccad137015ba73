package io.sei.operator.demo;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.CrdFile;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.AuditLog;
import io.sei.operator.testkit.CeremonyLogs;
import io.sei.operator.testkit.ChainSimulator;
import io.sei.operator.testkit.Fault;
import io.sei.operator.testkit.FaultStage;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.KubeletTiming;
import io.sei.operator.testkit.OperatorJar;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.ServedDashboard;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.controlplane.StatusRecorder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A real control plane, the real operator, and a kubelet and sidecars that are simulated. */
final class Stage implements AutoCloseable, Playground.World {

  static final String NAMESPACE = "default";
  static final Path SAMPLES = Path.of("manifests", "samples");
  static final Path DIRECTORY = Path.of("target", "demo");

  /** Slow enough to be followed by eye; a real pod takes longer. */
  private static final KubeletTiming TIMING =
      new KubeletTiming(
          Duration.ofMillis(800),
          Duration.ofMillis(800),
          Duration.ofMillis(500),
          Duration.ofSeconds(10));

  /** Above those of the scenes. */
  private static final long HEIGHT = 200_000_000;

  private final Terminal terminal;
  private final ControlPlane controlPlane;
  private final KubernetesClient client;
  private final SidecarSimulator sidecar;
  private final ChainSimulator chain;
  private final KubeletSimulator kubelet;
  private final OperatorJar operator;
  private final Optional<StatusRecorder> recorder;
  private final KubectlSei plugin;
  private CeremonyLogs ceremonies;

  private Stage(Terminal terminal) {
    this.terminal = terminal;
    controlPlane = ControlPlane.start(ControlPlane.Options.defaults().withAuditLog());
    client = KubernetesClients.create(controlPlane.config(ControlPlane.ADMIN));
    plugin = new KubectlSei(controlPlane, NAMESPACE);
    CrdFile.installAll(client);
    recorder =
        Boolean.getBoolean("corpus.record")
            ? Optional.of(new StatusRecorder(client))
            : Optional.empty();
    sidecar = new SidecarSimulator();
    chain = new ChainSimulator();
    kubelet = new KubeletSimulator(client, sidecar, TIMING);
    // The operator reads it when it starts.
    Path releases = DIRECTORY.resolve("releases.yaml");
    write(releases, UpgradeScenes.RELEASES);
    controlPlane.kubectl("apply", "-f", releases.toString());
    operator =
        OperatorJar.start(
            controlPlane.kubeconfig(ControlPlane.OPERATOR),
            Map.of(
                "SEI_SIDECAR_URL_TEMPLATE",
                sidecar.urlTemplate(),
                "SEI_NODE_RPC_URL_TEMPLATE",
                chain.urlTemplate(),
                "SEI_CONFIRM_READY_AFTER_BLOCK",
                "0s",
                "POD_NAMESPACE",
                NAMESPACE),
            DIRECTORY.resolve("operator.log"));
  }

  static Stage open(Terminal terminal) {
    try {
      Files.createDirectories(DIRECTORY);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Stage(terminal);
  }

  /** Names the scene that begins in what is recorded of it. */
  void begin(String scene) {
    recorder.ifPresent(statuses -> statuses.begin(scene));
  }

  /** Runs kubectl, and shows the command. */
  void kubectl(String... arguments) {
    terminal.action("$ kubectl " + String.join(" ", arguments));
    ControlPlane.KubectlResult result = controlPlane.kubectl(unquoted(arguments));
    if (result.exitCode() != 0) {
      throw new IllegalStateException("kubectl failed: " + result.stderr());
    }
  }

  /** A shell takes the quotes off that a reader of the command needs. */
  private static String[] unquoted(String... arguments) {
    return Stream.of(arguments)
        .map(argument -> argument.replaceAll("^'(.*)'$", "$1"))
        .toArray(String[]::new);
  }

  /** Merge-patches an object; ' stands for ". */
  void patch(String kind, String name, String patch) {
    String json = "'" + patch.replace('\'', '"') + "'";
    kubectl("patch", kind, name, "--type=merge", "-p", json);
  }

  /** Runs kubectl, and shows the command and its output. */
  void show(String... arguments) {
    show(line -> true, arguments);
  }

  /** Runs kubectl, and shows the command and the lines of its output that are of interest. */
  void show(Predicate<String> ofInterest, String... arguments) {
    String command = "kubectl " + String.join(" ", arguments);
    showLines(
        command, controlPlane.kubectl(arguments).stdout().lines().filter(ofInterest).toList());
  }

  /** Runs kubectl sei, which has to succeed, and shows the command. */
  void sei(String... arguments) {
    terminal.action("$ kubectl sei " + String.join(" ", arguments));
    ControlPlane.KubectlResult result = plugin.run(arguments);
    if (result.exitCode() != 0) {
      throw new IllegalStateException("kubectl sei failed: " + result.stderr());
    }
  }

  /** Runs kubectl sei, whose exit code may be an answer, and shows the command and its output. */
  void showSei(String... arguments) {
    ControlPlane.KubectlResult result = plugin.run(arguments);
    if (result.exitCode() > 1) {
      throw new IllegalStateException("kubectl sei failed: " + result.stderr());
    }
    showLines("kubectl sei " + String.join(" ", arguments), result.stdout().lines().toList());
  }

  /** Shows a command and what it would say. */
  void showLines(String command, List<String> lines) {
    terminal.action("$ " + command);
    lines.forEach(line -> terminal.line("    " + line));
  }

  /** Applies an object, as a file that can be looked at. */
  void apply(HasMetadata object) {
    apply(object.getMetadata().getName(), Serialization.asYaml(object));
  }

  /** Applies what is not a sample, as a file that can be looked at. */
  void apply(String name, String manifest) {
    Path file = DIRECTORY.resolve(name + ".yaml");
    write(file, manifest);
    apply(file);
  }

  /** Applies the objects of a file. */
  void apply(Path manifest) {
    kubectl("apply", "-f", manifest.toString());
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void write(Path file, String text) {
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Number of occurrences of an Event about a node. */
  int eventCount(String node, String reason) {
    return client
        .v1()
        .events()
        .inNamespace(NAMESPACE)
        .withField("involvedObject.name", node)
        .withField("reason", reason)
        .list()
        .getItems()
        .stream()
        .mapToInt(Event::getCount)
        .sum();
  }

  /** Returns whether a node, or anything with its name that it stands on, is still there. */
  boolean exists(String node) {
    return client.resources(SeiNode.class).inNamespace(NAMESPACE).withName(node).get() != null
        || client.pods().inNamespace(NAMESPACE).withName(node + "-0").get() != null;
  }

  /** Returns the stage on which a fault is caused. */
  FaultStage of(Fault fault) {
    return new FaultStage(
        client,
        kubelet,
        sidecar,
        NAMESPACE,
        FaultScenes.node(fault),
        Optional.of(fault.name()),
        Optional.empty());
  }

  /** Shows what the simulators are made to do. */
  void simulate(String what, Runnable action) {
    terminal.action("~ simulated: " + what);
    action.run();
  }

  /** Makes every container print the genesis of a fleet's chain from now on. */
  void ceremonies(String fleet, String chainId) {
    ceremonies = new CeremonyLogs(client, NAMESPACE, chainId);
    ceremonies.of(fleet);
    kubelet.serveLogs(ceremonies.port());
  }

  /** The chain has planned an upgrade, but the RPC of these nodes does not work yet. */
  void plan(Stream<String> nodes, String upgrade, long height) {
    chain.chain().at(height - 100_000, Instant.now()).plan(upgrade, height, "");
    nodes.forEach(node -> chain.fault(NAMESPACE, node, ChainSimulator.Fault.ERROR));
  }

  /** Makes the RPC of these nodes answer from now on. */
  void answers(Stream<String> nodes) {
    nodes.forEach(node -> chain.fault(NAMESPACE, node, null));
  }

  @Override
  public void halt(String upgrade) {
    for (Pod pod : client.pods().inNamespace(NAMESPACE).withLabel(Labels.NODE).list().getItems()) {
      String name = pod.getMetadata().getName();
      simulate(
          "seid in %s panics with UPGRADE \"%s\" NEEDED".formatted(name, upgrade),
          () -> kubelet.halt(NAMESPACE, name, upgrade, HEIGHT));
    }
  }

  @Override
  public void crash(String node) {
    simulate(
        "seid of " + node + " crashes",
        () -> kubelet.inject(NAMESPACE, node + "-0", PodFault.CRASH_LOOP));
  }

  @Override
  public void badImage(String image) {
    simulate(
        "there is no image " + image, () -> kubelet.injectForImage(image, PodFault.IMAGE_PULL));
  }

  @Override
  public void loseMachine() {
    simulate("the machine is cut off", kubelet::loseNode);
  }

  @Override
  public void heal() {
    simulate(
        "nothing is broken",
        () -> {
          kubelet.recoverNode();
          kubelet.clearAll();
        });
  }

  /** The pod of a name, if there is one. */
  Optional<Pod> pod(String name) {
    return Optional.ofNullable(client.pods().inNamespace(NAMESPACE).withName(name).get());
  }

  KubernetesClient client() {
    return client;
  }

  KubeletSimulator kubelet() {
    return kubelet;
  }

  OperatorJar operator() {
    return operator;
  }

  String serverVersion() {
    return controlPlane.serverVersion();
  }

  Path kubeconfig() {
    return controlPlane.kubeconfig(ControlPlane.ADMIN);
  }

  /** Returns the requests of the operator to the API server so far. */
  AuditLog requests() {
    return AuditLog.of(controlPlane.auditLog(), ControlPlane.OPERATOR);
  }

  /** Serves the dashboard of everything on the stage. */
  ServedDashboard dashboard() {
    return new ServedDashboard(controlPlane, plugin, Map.of());
  }

  @Override
  public void close() {
    operator.close();
    kubelet.close();
    sidecar.close();
    chain.close();
    if (ceremonies != null) {
      ceremonies.close();
    }
    recorder.ifPresent(StatusRecorder::close);
    client.close();
    controlPlane.close();
  }
}
