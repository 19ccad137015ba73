package io.sei.operator.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.LogWatch;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.Cache;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Machine;
import io.sei.operator.testkit.machine.Manifests;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * Measures on a real node, with a chain that really halts, how long a person waits after an edit.
 * Objects are seen through watches: asking the API server again and again takes the processor from
 * what is measured. To be run by {@code hack/as-machine.sh}. A table goes to standard output and to
 * target/bench.
 *
 * <p>Argument: how often each measurement is repeated.
 */
public final class MachineBench {

  private static final String NODE = "node";
  private static final String LISTED = "listed";
  private static final String FLEET = "fleet";
  private static final String SAMPLE = "manifests/samples/local-network.yaml";
  private static final String RECREATE = "Recreate";
  private static final String IN_PLACE = "InPlaceIfPossible";
  private static final int CONNECT_MILLIS = 200;
  private static final int READ_MILLIS = 2000;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Machine machine;
  private final KubernetesClient client;
  private final Table table = new Table();
  private String namespace;
  private SharedIndexInformer<Pod> pods;
  private SharedIndexInformer<SeiNode> nodes;

  private MachineBench(Machine machine) {
    this.machine = machine;
    client = machine.client();
  }

  /** Runs every measurement. */
  public static void main(String[] args) throws IOException {
    try (Machine machine = Machine.start()) {
      var bench = new MachineBench(machine);
      for (int run = 1; run <= Integer.parseInt(args[0]); run++) {
        bench.run();
      }
      Bench.write("machine.md", bench.table::print);
      bench.table.print(System.out);
    }
    System.exit(0);
  }

  private void run() {
    namespace = machine.createNamespace();
    pods = client.pods().inNamespace(namespace).inform();
    nodes = client.resources(SeiNode.class).inNamespace(namespace).inform();
    haltedNode();
    listedUpgrade(RECREATE);
    listedUpgrade(IN_PLACE);
    fleet();
    newChain();
    pods.stop();
    nodes.stop();
    client.namespaces().withName(namespace).delete();
  }

  private void haltedNode() {
    table.add(
        "new node: apply to Ready, seconds",
        Timed.seconds(
            () -> apply(Manifests.node(NODE, Chain.V1_HALTING.image())),
            () -> isReadyOn(NODE, Chain.V1_HALTING)));
    Timed.until(() -> "HaltedAtUpgrade".equals(ready(node(NODE)).reason()));
    String halted = pod(NODE).getMetadata().getUid();

    long begin = System.nanoTime();
    patch("seinode", NODE, "{'spec':{'image':'%s'}}".formatted(Chain.V2.image()));
    Timed.until(() -> hasLeft(NODE, halted));
    table.add("halted node: image edit to pod deleted, seconds", since(begin));
    Timed.until(() -> height(pod(NODE)) >= Chain.HEIGHT);
    table.add("halted node: image edit to first block, seconds", since(begin));
    Timed.until(() -> isReadyOn(NODE, Chain.V2));
    table.add("halted node: image edit to Ready, seconds", since(begin));
    delete(NODE);
  }

  private void listedUpgrade(String policy) {
    apply(Manifests.node(LISTED, Chain.V1_HALTING.image()));
    patch(
        "seinode",
        LISTED,
        "{'spec':{'updatePolicy':{'pod':'%s'},'upgrades':[{'name':'v2','height':%d,'image':'%s'}]}}"
            .formatted(policy, Chain.HEIGHT, Chain.V2.image()));
    Timed.until(() -> height(pod(LISTED)) > 0);
    String first = pod(LISTED).getMetadata().getUid();
    CompletableFuture<Instant> exit = CompletableFuture.supplyAsync(this::lastWords);
    // The image before has stored the block of that height too, and says so when it starts again.
    Timed.until(() -> height(pod(LISTED)) > Chain.HEIGHT);
    Instant block = Instant.now();
    boolean isInPlace = first.equals(pod(LISTED).getMetadata().getUid());
    if (isInPlace != (policy.equals(IN_PLACE))) {
      throw new IllegalStateException("the pod was not updated by policy " + policy);
    }
    table.add(
        "listed upgrade, pod %s: seid's exit to the block after the upgrade height, seconds"
            .formatted(isInPlace ? "updated in place" : "replaced"),
        Duration.between(exit.join(), block).toMillis() / 1e3);
    delete(LISTED);
  }

  /**
   * Time of the last line of the first run of seid, the end of the panic with which it exits. Its
   * status has the exit in whole seconds only. Returns once that run is over.
   */
  private Instant lastWords() {
    try (LogWatch log =
            client
                .pods()
                .inNamespace(namespace)
                .withName(LISTED + "-0")
                .inContainer("seid")
                .usingTimestamps()
                .watchLog();
        var lines = new BufferedReader(new InputStreamReader(log.getOutput(), UTF_8))) {
      return lines
          .lines()
          .reduce((before, line) -> line)
          .map(line -> Instant.parse(line.substring(0, line.indexOf(' '))))
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void fleet() {
    apply(Manifests.fleet(FLEET, Chain.V1.image()));
    Timed.until(() -> isFleetReadyOn(Chain.V1));
    String next = "{'spec':{'template':{'spec':{'image':'%s'}}}}".formatted(Chain.V2.image());
    table.add(
        "fleet of two healthy nodes, one after the other: image edit to both Ready, seconds",
        Timed.seconds(() -> patch("snd", FLEET, next), () -> isFleetReadyOn(Chain.V2)));
    kubectl("delete", "snd", FLEET);
    Timed.until(this::areAllGone);
  }

  private void newChain() {
    table.add(
        "new chain of four validators from one manifest: apply to first block, seconds",
        Timed.seconds(() -> kubectl("apply", "-f", SAMPLE), () -> height(pod("local-0")) > 0));
    kubectl("delete", "-f", SAMPLE);
    Timed.until(this::areAllGone);
  }

  private boolean areAllGone() {
    return pods.getStore().list().isEmpty();
  }

  /** Returns once the pod is gone too, which would be taken for the next node's. */
  private void delete(String node) {
    kubectl("delete", "seinode", node);
    Timed.until(() -> pod(node) == null);
  }

  private boolean isFleetReadyOn(Chain chain) {
    return List.of(FLEET + "-0", FLEET + "-1").stream().allMatch(name -> isReadyOn(name, chain));
  }

  private boolean isReadyOn(String name, Chain chain) {
    SeiNode node = node(name);
    return chain.image().equals(node.getStatus().currentImage())
        && ready(node).status() == ConditionStatus.TRUE;
  }

  private static Condition ready(SeiNode node) {
    return node.getStatus().condition(NodeConditionType.READY).orElseThrow();
  }

  private boolean hasLeft(String name, String uid) {
    Pod pod = pod(name);
    return pod == null
        || !uid.equals(pod.getMetadata().getUid())
        || pod.getMetadata().getDeletionTimestamp() != null;
  }

  /**
   * Height of the pod's own chain, whose address is reachable from here; 0 while it has none. That
   * of a pod that has just gone swallows a connection for up to a minute.
   */
  private static long height(Pod pod) throws IOException {
    if (pod.getStatus().getPodIP() == null) {
      return 0;
    }
    URI status = URI.create("http://" + pod.getStatus().getPodIP() + ":26657/status");
    URLConnection connection = status.toURL().openConnection();
    connection.setConnectTimeout(CONNECT_MILLIS);
    connection.setReadTimeout(READ_MILLIS);
    try (var answer = connection.getInputStream()) {
      return JSON.readTree(answer).at("/sync_info/latest_block_height").asLong();
    }
  }

  private SeiNode node(String name) {
    return nodes.getStore().getByKey(Cache.namespaceKeyFunc(namespace, name));
  }

  private Pod pod(String node) {
    return pods.getStore().getByKey(Cache.namespaceKeyFunc(namespace, node + "-0"));
  }

  private void apply(String manifest) {
    client.resource(manifest).inNamespace(namespace).create();
  }

  /** Merge-patches an object; ' stands for ". */
  private void patch(String kind, String name, String patch) {
    kubectl("patch", kind, name, "--type=merge", "--patch", patch.replace('\'', '"'));
  }

  private void kubectl(String... arguments) {
    machine.kubectl(
        Stream.concat(Stream.of("--namespace", namespace), Arrays.stream(arguments))
            .toArray(String[]::new));
  }

  private static double since(long begin) {
    return (System.nanoTime() - begin) / 1e9;
  }
}
