package io.sei.operator.testkit;

import com.sun.net.httpserver.Filter;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;

/**
 * The sei-sidecars of any number of nodes behind one HTTP server on the loopback address, told
 * apart by a path prefix. It speaks the HTTP API of seictl (OpenAPI 0.8.0) as a {@link
 * SidecarVersion} does, with its engine semantics: a task id that runs or has completed is not run
 * again, a failed one is; tasks and the home are on the data volume, which {@link #mount} names,
 * and survive the pod; the ready flag does not survive the process. {@code Sidecar*ContractTest}
 * compares it with the real one.
 *
 * <p>A sidecar is reachable between {@link #podStarted} and {@link #podStopped}, which {@link
 * KubeletSimulator} calls; at other times its connections are dropped without an answer.
 */
public final class SidecarSimulator implements AutoCloseable {

  /** Hears that the ready flag of a node's sidecar changed; read it with {@link #isReady}. */
  @FunctionalInterface
  public interface ReadyListener {
    void readyChanged(String namespace, String node);
  }

  private record NodeKey(String namespace, String name) {}

  private static final int HTTP_THREADS = 8;
  private static final int CONNECTION_BACKLOG = 1024;

  private final Map<NodeKey, SidecarEngine> engines = new ConcurrentHashMap<>();
  private final Map<String, SidecarVolume> volumes = new ConcurrentHashMap<>();
  private final Map<NodeKey, SidecarVolume> snapshots = new ConcurrentHashMap<>();
  private final Set<String> restored = ConcurrentHashMap.newKeySet();
  private final Map<String, Long> resets = new ConcurrentHashMap<>();
  private final Map<NodeKey, SidecarFaults> faults = new ConcurrentHashMap<>();
  private final Map<NodeKey, List<String>> audiences = new ConcurrentHashMap<>();
  private final Map<String, KillSwitch> killSwitches = new ConcurrentHashMap<>();
  private final List<ReadyListener> listeners = new CopyOnWriteArrayList<>();
  private final SidecarFaults faultsOfAll =
      new SidecarFaults(() -> engines.values().forEach(SidecarEngine::resume));
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("sidecar-timer").factory());
  private final ExecutorService httpThreads =
      Executors.newFixedThreadPool(
          HTTP_THREADS, Thread.ofPlatform().daemon().name("sidecar-http").factory());
  private final HttpServer server;
  private volatile SidecarVersion version = SidecarVersion.V0_0_50;
  private volatile Duration seidPatience = Duration.ofMinutes(5);
  private volatile boolean cutOff;
  private volatile KubernetesClient reviewer;
  private volatile Consumer<SidecarTask> broadcast = transaction -> {};
  private volatile BinaryOperator<String> nodeIds = SidecarSimulator::nodeId;

  /** Serves on a free port of the loopback address. */
  public SidecarSimulator() {
    this(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    serve(List.of());
  }

  /** Makes a simulator that serves at an address once {@link #serve} is called. */
  SidecarSimulator(InetSocketAddress address) {
    // Read once, when the server class loads: without it an answer waits for the peer's delayed
    // acknowledgement, 40 ms each.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    try {
      server = HttpServer.create(address, CONNECTION_BACKLOG);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(httpThreads);
  }

  /** Starts to answer, behind these filters. */
  void serve(List<Filter> filters) {
    server.createContext("/", new SidecarHttpApi(this)).getFilters().addAll(filters);
    server.start();
  }

  /**
   * The base URL of a node's sidecar, with the placeholders {@code {namespace}}, {@code {name}}.
   */
  public String urlTemplate() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/{namespace}/{name}";
  }

  /** The base URL of one node's sidecar. */
  public String url(String namespace, String node) {
    return urlTemplate().replace("{namespace}", namespace).replace("{name}", node);
  }

  /** The version of every sidecar process that starts from now on; at first 0.0.50. */
  public SidecarSimulator version(SidecarVersion version) {
    this.version = version;
    return this;
  }

  /**
   * Gives the node's pods the volume of a claim from now on, with what is on it: nothing, if no pod
   * had it yet. A node without a claim has a volume of its own.
   */
  public void mount(String namespace, String node, String claimUid) {
    engine(namespace, node).mount(volumes.computeIfAbsent(claimUid, empty -> new SidecarVolume()));
  }

  /** Wipes a volume, unless that was done for this reset or a later one. */
  public void wipeOnce(String claimUid, long generation) {
    if (generation > resets.getOrDefault(claimUid, 0L)) {
      resets.put(claimUid, generation);
      volumes.remove(claimUid);
    }
  }

  /** Takes a copy of what is on the node's data volume, as a VolumeSnapshot of this name. */
  public void takeSnapshot(String namespace, String node, String snapshot) {
    snapshots.put(new NodeKey(namespace, snapshot), engine(namespace, node).volume().copy());
  }

  /** Makes the volume of a new claim from a copy; an empty one, if there is no copy. */
  void restore(String namespace, String snapshot, String claimUid) {
    volumes.computeIfAbsent(
        claimUid,
        copy ->
            snapshots.getOrDefault(new NodeKey(namespace, snapshot), new SidecarVolume()).copy());
  }

  /** Takes off a copy, once, what belongs to the node that it was made of. */
  void ownOnce(String claimUid) {
    if (restored.add(claimUid)) {
      volumes.computeIfPresent(claimUid, (uid, copy) -> copy.withoutTraces());
    }
  }

  /** Leaves in the node's home what {@code seid init} does: configuration files and a node key. */
  public void initHome(String namespace, String node) {
    engine(namespace, node).initHome();
  }

  /** Takes away from the node's home the marker of a state sync that is configured. */
  void forgetStateSync(String namespace, String node) {
    engine(namespace, node).forgetStateSync();
  }

  /** Returns the state on the node's data volume. */
  public SidecarHome home(String namespace, String node) {
    return engine(namespace, node).home();
  }

  /**
   * A pod of the node runs a sidecar process from now on. A uid that runs already changes nothing;
   * tasks a dead process left running are executed again.
   */
  public void podStarted(String namespace, String node, String podUid) {
    podStarted(namespace, node, podUid, List.of(), SeidProcess.NONE);
  }

  /**
   * Starts a pod behind a proxy that takes tokens of these audiences, of any if there are none, and
   * with a seid beside it.
   */
  void podStarted(
      String namespace, String node, String podUid, List<String> audiences, SeidProcess seid) {
    this.audiences.put(new NodeKey(namespace, node), audiences);
    engine(namespace, node).start(podUid, seid);
  }

  /**
   * Has every token reviewed by an API server from now on, as kube-rbac-proxy v0.19.1 does: for the
   * audiences that it was started with, or else for those of the API server.
   */
  public void reviewTokens(KubernetesClient reviewer) {
    this.reviewer = reviewer;
  }

  /** Returns whether the proxy in front of a node's sidecar refuses this token. */
  boolean isUnauthorized(String namespace, String node, String authorization) {
    KubernetesClient asked = reviewer;
    return asked != null
        && !ReviewedToken.isGenuine(
            asked, authorization, audiences.getOrDefault(new NodeKey(namespace, node), List.of()));
  }

  /** The node's sidecar process has ended: connections are dropped, the ready flag is lost. */
  public void podStopped(String namespace, String node) {
    engine(namespace, node).stop();
  }

  /** Restarts the sidecar's container in the same pod: its ready flag is lost. */
  public void restart(String namespace, String node) {
    engine(namespace, node).restart();
    notifyListeners(namespace, node);
  }

  int restarts(String namespace, String node) {
    return engine(namespace, node).restarts();
  }

  /** Returns the Tendermint node id that a node's sidecar reports: 20 bytes in hexadecimal. */
  public static String nodeId(String namespace, String node) {
    return Digests.sha256(namespace + "/" + node).substring(0, 40);
  }

  /** Has sidecars tell this as the id of a node, by namespace and name. */
  void tellNodeIds(BinaryOperator<String> real) {
    nodeIds = real;
  }

  String tellNodeId(String namespace, String node) {
    return nodeIds.apply(namespace, node);
  }

  /** Returns whether the node's sidecar lets seid start. */
  public boolean isReady(String namespace, String node) {
    return engine(namespace, node).isReady();
  }

  /** Has a node's sidecar run a task that its operator did not ask for. */
  public void submit(String namespace, String node, String type) {
    engine(namespace, node).submit(UUID.randomUUID().toString(), type, null);
  }

  /** Has each transaction that a sidecar broadcasts from now on reach this. */
  public void broadcast(Consumer<SidecarTask> mempool) {
    broadcast = mempool;
  }

  /**
   * Sets the time for which {@code restart-seid} waits for a seid to answer; at first as long as a
   * real one.
   */
  public void seidPatience(Duration patience) {
    seidPatience = patience;
  }

  /** The faults of one node's sidecar. */
  public SidecarFaults faults(String namespace, String node) {
    NodeKey key = new NodeKey(namespace, node);
    return faults.computeIfAbsent(
        key, k -> new SidecarFaults(() -> engine(namespace, node).resume()));
  }

  /** The faults every sidecar has in addition to its own. */
  public SidecarFaults faultsOfAll() {
    return faultsOfAll;
  }

  /** Every request a node's sidecar answered, oldest first. */
  public List<SidecarRequest> requests(String namespace, String node) {
    return engine(namespace, node).requests();
  }

  /** Returns the number of executions of tasks of a type on a node: runs, not submissions. */
  public int executions(String namespace, String node, String type) {
    return engine(namespace, node).executions(type);
  }

  /** Every task a node's sidecar knows, oldest first, the last hundred. */
  public List<SidecarTask> tasks(String namespace, String node) {
    var tasks = new ArrayList<>(engine(namespace, node).list());
    Collections.reverse(tasks);
    return tasks;
  }

  /** Adds a listener; it is called on a thread of the simulator and must not block. */
  public void onReadyChange(ReadyListener listener) {
    listeners.add(listener);
  }

  /** Counts requests to the sidecars of a namespace as requests of the operator that asks them. */
  public void countFor(String namespace, KillSwitch killSwitch) {
    killSwitches.put(namespace, killSwitch);
  }

  KillSwitch killSwitch(String namespace) {
    return killSwitches.computeIfAbsent(namespace, unarmed -> new KillSwitch());
  }

  /** Makes every sidecar unreachable while its process lives on, as a network partition does. */
  void cutOff(boolean cutOff) {
    this.cutOff = cutOff;
  }

  SidecarEngine engine(String namespace, String node) {
    return engines.computeIfAbsent(
        new NodeKey(namespace, node),
        key ->
            new SidecarEngine(
                List.of(faults(namespace, node), faultsOfAll),
                timer,
                () -> version,
                () -> seidPatience,
                transaction -> broadcast.accept(transaction),
                () -> notifyListeners(namespace, node)));
  }

  List<SidecarFaults> faultsFor(String namespace, String node) {
    return List.of(faults(namespace, node), faultsOfAll);
  }

  boolean hasBusyStore(String namespace, String node) {
    return faultsFor(namespace, node).stream().anyMatch(SidecarFaults::hasBusyStore);
  }

  boolean isReachable(String namespace, String node) {
    return !cutOff
        && engine(namespace, node).runs()
        && faultsFor(namespace, node).stream().noneMatch(SidecarFaults::isDown);
  }

  /** Runs what answers a call, later if the sidecar is slow. */
  void afterItsDelay(SidecarCall call, Runnable answer) {
    long millis =
        faultsFor(call.namespace(), call.node()).stream()
            .mapToLong(faults -> faults.delay().toMillis())
            .sum();
    if (millis == 0) {
      answer.run();
    } else {
      timer.schedule(() -> httpThreads.execute(answer), millis, TimeUnit.MILLISECONDS);
    }
  }

  private void notifyListeners(String namespace, String node) {
    // Off the caller's thread, because the caller holds the engine's lock.
    if (!timer.isShutdown()) {
      timer.execute(() -> listeners.forEach(l -> l.readyChanged(namespace, node)));
    }
  }

  @Override
  public void close() {
    server.stop(0);
    httpThreads.shutdownNow();
    timer.shutdownNow();
  }
}
