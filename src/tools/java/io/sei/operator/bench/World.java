package io.sei.operator.bench;

import static java.util.stream.Collectors.joining;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.sei.operator.api.CrdFile;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.kube.KubernetesClients;
import io.sei.operator.testkit.AuditLog;
import io.sei.operator.testkit.ChainSimulator;
import io.sei.operator.testkit.KubectlSei;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.OperatorJar;
import io.sei.operator.testkit.ServedDashboard;
import io.sei.operator.testkit.SidecarSimulator;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.machine.Dockerfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A real control plane, the operator as a process with the image's flags, and simulated kubelet,
 * sidecars and RPC of nodes. What is there is seen through watches: asking again and again would
 * cost the API server more than the operator does.
 */
final class World implements AutoCloseable {

  static final String NAMESPACE = "bench";

  private static final String SIDECAR_CLIENT = "sidecar-client";

  /** Runtime that hack/runtime.sh makes, the same as in the image. */
  private static final Path RUNTIME = Path.of("target", "runtime").toAbsolutePath();

  /** Memory limits of docs/install.md, by the largest number of nodes. */
  private static final NavigableMap<Integer, String> MEMORY_LIMITS =
      new TreeMap<>(Map.of(500, "256m", 1500, "512m", Integer.MAX_VALUE, "1g"));

  private static final Path OPERATOR_LOG = Path.of("target", "bench-operator.log");

  private final ControlPlane plane =
      ControlPlane.start(ControlPlane.Options.defaults().withAuditLog());
  private final KubernetesClient client =
      KubernetesClients.create(plane.config(ControlPlane.ADMIN));
  private final SidecarSimulator sidecars = new SidecarSimulator();
  private final ChainSimulator chains = new ChainSimulator();
  private final KubeletSimulator kubelet;
  private final SharedIndexInformer<SeiNode> nodes;
  private final SharedIndexInformer<SeiNodeDeployment> fleets;
  private final SharedIndexInformer<Pod> pods;
  private final SharedIndexInformer<Event> completions;
  private final SharedIndexInformer<Event> updates;
  private final String memoryLimit;
  private OperatorJar operator;

  /**
   * @param mostNodes how many there will be, on which the memory limit depends
   */
  World(int mostNodes) {
    memoryLimit = MEMORY_LIMITS.ceilingEntry(mostNodes).getValue();
    CrdFile.installAll(client);
    createNamespace(NAMESPACE);
    client
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withName(SIDECAR_CLIENT)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .build())
        .create();
    kubelet = new KubeletSimulator(client, sidecars);
    nodes = client.resources(SeiNode.class).inNamespace(NAMESPACE).inform();
    fleets = client.resources(SeiNodeDeployment.class).inNamespace(NAMESPACE).inform();
    pods = client.pods().inNamespace(NAMESPACE).inform();
    completions = events("PlanComplete");
    updates = events("PodUpdated");
  }

  void createNamespace(String name) {
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
  }

  SidecarSimulator sidecars() {
    return sidecars;
  }

  ChainSimulator chains() {
    return chains;
  }

  /** Starts the operator and does not wait for it. */
  OperatorJar startOperator() {
    // A Lease that was not released has to expire first, which has no part in any figure.
    return startOperator(command(), Map.of("SEI_LEADER_ELECTION", "false"));
  }

  /** The image's command, with the heap that a container with the limit of as many nodes has. */
  private List<String> command() {
    List<String> command =
        new ArrayList<>(
            Dockerfile.read(Path.of("Dockerfile")).entrypoint().stream()
                .map(argument -> argument.replace("/opt/sei-operator", RUNTIME.toString()))
                .toList());
    command.add(1, "-XX:MaxRAM=" + memoryLimit);
    return command;
  }

  /** Starts the operator with another command and more settings. */
  OperatorJar startOperator(List<String> command, Map<String, String> more) {
    var settings = new HashMap<>(more);
    settings.put("SEI_SIDECAR_URL_TEMPLATE", sidecars.urlTemplate());
    settings.put("SEI_NODE_RPC_URL_TEMPLATE", chains.urlTemplate());
    settings.put("SEI_SIDECAR_SERVICE_ACCOUNT", NAMESPACE + "/" + SIDECAR_CLIENT);
    settings.put("SEI_STORAGE_SIZE_DEFAULT", "10Gi");
    operator =
        OperatorJar.start(command, plane.kubeconfig(ControlPlane.OPERATOR), settings, OPERATOR_LOG);
    return operator;
  }

  /** Serves the dashboard of the nodes. */
  ServedDashboard dashboard() {
    return new ServedDashboard(plane, new KubectlSei(plane, NAMESPACE), Map.of());
  }

  /** Returns the circumstances of a figure, in one line. */
  String description() {
    return "%d processors (%s), Kubernetes %s, Java %s, %s"
        .formatted(
            Runtime.getRuntime().availableProcessors(),
            first(Path.of("/proc/cpuinfo"), "model name"),
            plane.serverVersion(),
            first(RUNTIME.resolve("jre/release"), "JAVA_VERSION"),
            command().stream()
                .filter(flag -> flag.startsWith("-X") && !flag.contains("SharedArchiveFile"))
                .collect(joining(" ")));
  }

  /** The value of a key in a file of keys and values. */
  private static String first(Path file, String key) {
    try (var lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(key))
          .map(line -> line.replaceFirst("^[^:=]*[:=]", "").replace("\"", "").strip())
          .findFirst()
          .orElse("unknown");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  OperatorJar operator() {
    return operator;
  }

  private SharedIndexInformer<Event> events(String reason) {
    return client.v1().events().inNamespace(NAMESPACE).withField("reason", reason).inform();
  }

  /** Number of completed plans, by their Events, which are recorded last. */
  int plansCompleted() {
    Stream<Event> inPlace =
        updates.getStore().list().stream()
            .filter(event -> event.getMessage().startsWith("changed in place"));
    return Stream.concat(completions.getStore().list().stream(), inPlace)
        .mapToInt(Event::getCount)
        .sum();
  }

  /**
   * Number of reconciles of nodes so far. The operator answers scrapes from a page that may be a
   * second old, so this waits for the next page.
   */
  double reconciles() {
    Timed.pass(Duration.ofMillis(1100));
    return operator
        .metrics()
        .lines()
        .filter(line -> line.startsWith("operator_sdk_reconciliations_started_total{"))
        .filter(line -> line.contains("kind=\"SeiNode\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  KubernetesClient client() {
    return client;
  }

  List<SeiNode> nodes() {
    return nodes.getStore().list();
  }

  List<SeiNodeDeployment> fleets() {
    return fleets.getStore().list();
  }

  List<Pod> pods() {
    return pods.getStore().list();
  }

  /** Returns the operator's requests since a moment, without watches and leases. */
  List<AuditLog.Request> asked(Instant since) {
    return requests(ControlPlane.OPERATOR, since);
  }

  /** Returns the requests of this benchmark and its kubelet since a moment. */
  List<AuditLog.Request> edited(Instant since) {
    return requests(ControlPlane.ADMIN, since);
  }

  private List<AuditLog.Request> requests(String user, Instant since) {
    return AuditLog.of(plane.auditLog(), user).requests().stream()
        .filter(request -> !request.isWatch() && !request.isLease())
        .filter(request -> !request.at().isBefore(since))
        .toList();
  }

  @Override
  public void close() {
    if (operator != null) {
      operator.close();
    }
    kubelet.close();
    sidecars.close();
    chains.close();
    client.close();
    plane.close();
  }
}
