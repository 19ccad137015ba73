package io.sei.operator.node;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.FleetChain;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.chain.ChainAnswer;
import io.sei.operator.chain.ChainClient;
import io.sei.operator.chain.ChainReport;
import io.sei.operator.chain.KnownChain;
import io.sei.operator.chain.NodeRpc;
import io.sei.operator.chain.UpgradePlan;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.model.NodeView;
import io.sei.operator.plan.Backoff;
import io.sei.operator.render.NodeMode;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks each chain what upgrade it has planned, once per namespace however many nodes are there,
 * away from the reconciles, and only through a node whose pod is Ready: each time through the next
 * one, so that none of them can keep the others' word from being heard. A plan that appeared,
 * changed or vanished wakes all nodes of that chain; a new height wakes no node.
 */
public final class ChainWatch {

  private static final Logger log = LoggerFactory.getLogger(ChainWatch.class);

  /** Upgrades are planned days ahead. */
  static final Duration CALM = Duration.ofMinutes(5);

  /** Once after a node that did not answer, through the next one. */
  static final Duration AGAIN = Duration.ofSeconds(30);

  private record ChainKey(String namespace, String chainId) {}

  /** What a node was asked before it stops for a snapshot. */
  private record LastWord(String snapshot, CompletableFuture<?> said) {}

  /** A chain in a namespace. Asking is under way, or will be, as long as it is not idle. */
  private static final class Chain {
    /** Its nodes by name; those have an RPC to ask whose pod is Ready. */
    private final NavigableMap<String, Optional<NodeRpc>> nodes = new TreeMap<>();

    /** The newest block of each node that has answered. */
    private final Map<String, Long> heights = new HashMap<>();

    /** What each node that has answered had planned ahead, the last time. */
    private final Map<String, Optional<UpgradePlan>> said = new HashMap<>();

    private final Map<String, LastWord> lastWords = new HashMap<>();

    /** Its nodes that do more about a plan once two nodes know of it. */
    private final Set<String> listing = new HashSet<>();

    /** Its nodes that stop at a height for good, and are behind from then on. */
    private final Set<String> freezing = new HashSet<>();

    private boolean idle = true;
    private String asked = "";
    private int failures;
    private KnownChain known;

    /**
     * The first node that can be asked behind the one that was asked last; one that freezes only
     * where nobody else can be.
     */
    Optional<NodeRpc> next() {
      List<NodeRpc> inOrder =
          Stream.concat(
                  nodes.tailMap(asked, false).values().stream(),
                  nodes.headMap(asked, true).values().stream())
              .flatMap(Optional::stream)
              .toList();
      return inOrder.stream()
          .filter(it -> !freezing.contains(it.nodeName()))
          .findFirst()
          .or(() -> inOrder.stream().findFirst());
    }

    boolean hasOthersThan(String node) {
      return nodes.entrySet().stream()
          .anyMatch(it -> it.getValue().isPresent() && !it.getKey().equals(node));
    }
  }

  private final ChainClient client;
  private final Clock clock;
  private final Map<ChainKey, Chain> chains = new HashMap<>();
  private final Map<ResourceID, ChainKey> keys = new HashMap<>();
  private final PerObjectState<ResourceID> memory;
  private final ScheduledExecutorService scheduler;

  /**
   * @param clock judges the time of blocks
   * @param scheduler asks; shut down by its owner
   */
  public ChainWatch(
      ChainClient client,
      Clock clock,
      PerObjectState<ResourceID> memory,
      ScheduledExecutorService scheduler) {
    this.client = client;
    this.clock = clock;
    this.memory = memory;
    this.scheduler = scheduler;
    memory.onDrop(this::end);
  }

  /**
   * Notes a node as it was just observed, and wakes it if it was observed before the news that woke
   * the others. Never waits.
   */
  void observe(NodeView snapshot) {
    ResourceID node = ResourceID.fromResource(snapshot.node());
    Optional<NodeRpc> rpc =
        snapshot
            .livePod()
            .filter(pod -> PodFacts.isReady(pod) && snapshot.servesRpc())
            .map(
                pod ->
                    new NodeRpc(
                        pod.getMetadata().getNamespace(), node.getName(), PodFacts.address(pod)));
    SeiNodeSpec spec = snapshot.node().getSpec();
    boolean lists = spec.upgradePolicy() != null;
    synchronized (this) {
      observe(node, spec.chainId(), rpc);
      note(node, lists, spec.freeze().isPresent());
    }
    Optional<KnownChain> known = known(snapshot.node());
    if (isNews(snapshot.chain(), known) || (lists && isWord(snapshot.chain(), known))) {
      memory.wake(node);
    }
  }

  /**
   * Notes a node of a chain.
   *
   * @param rpc where it can be asked; empty while its pod is not Ready
   */
  synchronized void observe(ResourceID node, String chainId, Optional<NodeRpc> rpc) {
    var key = new ChainKey(node.getNamespace().orElse(""), chainId);
    if (!key.equals(keys.get(node))) {
      end(node);
      keys.put(node, key);
    }
    Chain chain = chains.computeIfAbsent(key, it -> new Chain());
    chain.nodes.put(node.getName(), rpc);
    if (chain.idle && rpc.isPresent()) {
      askAfter(key, chain, Duration.ZERO);
    }
  }

  /** Notes whether a node lists what the chain has planned, and whether it freezes. */
  synchronized void note(ResourceID node, boolean lists, boolean freezes) {
    Chain chain = chains.get(keys.get(node));
    if (chain == null) {
      return;
    }
    if (lists) {
      chain.listing.add(node.getName());
    } else {
      chain.listing.remove(node.getName());
    }
    if (freezes) {
      chain.freezing.add(node.getName());
    }
  }

  /** Asks a node that goes no longer, and with its last node forgets a chain. */
  synchronized void end(ResourceID node) {
    ChainKey key = keys.remove(node);
    if (key != null) {
      Chain chain = chains.get(key);
      chain.nodes.remove(node.getName());
      chain.heights.remove(node.getName());
      chain.said.remove(node.getName());
      chain.listing.remove(node.getName());
      chain.lastWords.remove(node.getName());
      chain.freezing.remove(node.getName());
      if (chain.nodes.isEmpty()) {
        chains.remove(key);
      }
    }
  }

  /** What is known of the chain of a node; empty as long as no node of it has answered. */
  synchronized Optional<KnownChain> known(SeiNode node) {
    var key = new ChainKey(node.getMetadata().getNamespace(), node.getSpec().chainId());
    // A node that executes no blocks does not halt for an upgrade either.
    return known(key).filter(it -> NodeMode.of(node.getSpec()).servesRpc());
  }

  /** The chain as the nodes of a namespace know it, for the status of a fleet. */
  public Optional<FleetChain> lastHeard(String namespace, String chainId) {
    Optional<KnownChain> known;
    synchronized (this) {
      known = known(new ChainKey(namespace, chainId));
    }
    return known.map(
        chain ->
            new FleetChain(
                chain.height(),
                chain.time().truncatedTo(ChronoUnit.SECONDS),
                chain.blocksPerSecond().isEmpty()
                    ? null
                    : String.format(Locale.ROOT, "%.2f", chain.blocksPerSecond().getAsDouble()),
                chain
                    .planned()
                    .map(plan -> new FleetChain.NextUpgrade(plan.name(), plan.height()))
                    .orElse(null)));
  }

  private Optional<KnownChain> known(ChainKey key) {
    return Optional.ofNullable(chains.get(key))
        .map(chain -> chain.known)
        .map(known -> isWitnessed(key.chainId(), known) ? known.witnessed() : known);
  }

  private boolean isWitnessed(String chainId, KnownChain known) {
    return chains.entrySet().stream()
            .filter(it -> it.getKey().chainId().equals(chainId))
            .flatMap(it -> it.getValue().said.values().stream())
            .filter(known.planned()::equals)
            .limit(2)
            .count()
        == 2;
  }

  /** The newest block that a node itself was heard to have; it has at least that. */
  synchronized Optional<Long> height(SeiNode node) {
    var key = new ChainKey(node.getMetadata().getNamespace(), node.getSpec().chainId());
    return Optional.ofNullable(chains.get(key))
        .map(chain -> chain.heights.get(node.getMetadata().getName()));
  }

  /**
   * Asks a node for its newest block before it is stopped for a snapshot, once.
   *
   * @return whether its answer may still come; the end of the wait wakes the node
   */
  boolean awaitsHeight(ResourceID node, String snapshot) {
    CompletableFuture<?> said;
    synchronized (this) {
      ChainKey key = keys.get(node);
      Chain chain = key == null ? null : chains.get(key);
      Optional<NodeRpc> rpc = chain == null ? Optional.empty() : chain.nodes.get(node.getName());
      if (rpc.isEmpty()) {
        return false;
      }
      LastWord earlier = chain.lastWords.get(node.getName());
      if (earlier != null && earlier.snapshot().equals(snapshot)) {
        return !earlier.said().isDone();
      }
      said =
          client
              .ask(rpc.get(), key.chainId())
              .thenAccept(answer -> heard(chain, node, answer.head().height()));
      chain.lastWords.put(node.getName(), new LastWord(snapshot, said));
    }
    said.whenComplete((nothing, error) -> memory.wake(node));
    return !said.isDone();
  }

  private synchronized void heard(Chain chain, ResourceID node, long height) {
    chain.heights.merge(node.getName(), height, Math::max);
  }

  /** The known state of every chain that has answered; sends no request. */
  public synchronized Stream<ChainReport> reports() {
    return chains.entrySet().stream()
        .filter(it -> it.getValue().known != null)
        .map(
            it ->
                new ChainReport(
                    it.getKey().namespace(), it.getKey().chainId(), it.getValue().known))
        .toList()
        .stream();
  }

  private synchronized void askAfter(ChainKey key, Chain chain, Duration pause) {
    if (!scheduler.isShutdown()) {
      chain.idle = false;
      scheduler.schedule(() -> ask(key, chain), pause.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void ask(ChainKey key, Chain chain) {
    Optional<NodeRpc> next;
    synchronized (this) {
      next = chains.get(key) == chain ? chain.next() : Optional.empty();
      chain.idle = next.isEmpty();
      next.ifPresent(it -> chain.asked = it.nodeName());
    }
    next.ifPresent(
        it ->
            client
                .ask(it, key.chainId())
                .whenComplete((answer, error) -> answered(key, chain, it, answer, error)));
  }

  private void answered(
      ChainKey key, Chain chain, NodeRpc node, ChainAnswer answer, Throwable error) {
    List<ResourceID> concerned;
    synchronized (this) {
      Map<ChainKey, Optional<KnownChain>> earlier = everywhere(key.chainId());
      Optional<KnownChain> before = Optional.ofNullable(chain.known);
      Optional<String> objection =
          error == null
              ? KnownChain.objection(answer, before, clock.instant())
              : Optional.of(why(error));
      if (objection.isPresent()) {
        failed(key, chain, node, objection.get());
        return;
      }
      boolean others = chain.hasOthersThan(node.nodeName());
      KnownChain now =
          before.map(it -> it.heard(answer, others)).orElseGet(() -> KnownChain.of(answer));
      chain.known = now;
      chain.heights.put(node.nodeName(), answer.head().height());
      if (chain.nodes.containsKey(node.nodeName())) {
        chain.said.put(node.nodeName(), KnownChain.of(answer).planned());
      }
      chain.failures = 0;
      boolean isFirst = before.flatMap(KnownChain::planned).isEmpty() && now.planned().isPresent();
      boolean wantsWitness = isFirst && others && !chain.listing.isEmpty();
      askAfter(key, chain, now.isDoubted() || wantsWitness ? Duration.ZERO : CALM);
      concerned =
          earlier.entrySet().stream()
              .flatMap(it -> concerned(it.getKey(), it.getValue(), known(it.getKey())))
              .toList();
    }
    concerned.forEach(memory::wake);
  }

  private void failed(ChainKey key, Chain chain, NodeRpc node, String why) {
    if (chain.freezing.contains(node.nodeName())) {
      askAfter(key, chain, CALM);
      return;
    }
    if (chain.failures == 0) {
      log.warn(
          "Cannot ask node {} what upgrade chain {} has planned: {}", node, key.chainId(), why);
    }
    chain.failures++;
    // A node that has just become Ready may be at its upgrade height within seconds.
    Duration pause =
        chain.known == null
            ? Backoff.OF_TASKS.after(chain.failures)
            : chain.failures == 1 ? AGAIN : CALM;
    askAfter(key, chain, pause);
  }

  private Map<ChainKey, Optional<KnownChain>> everywhere(String chainId) {
    return chains.keySet().stream()
        .filter(it -> it.chainId().equals(chainId))
        .collect(Collectors.toMap(it -> it, this::known));
  }

  private static boolean isNews(Optional<KnownChain> before, Optional<KnownChain> now) {
    return !before.map(KnownChain::planned).equals(now.map(KnownChain::planned));
  }

  /** Whether a plan has just got or lost its second witness. */
  private static boolean isWord(Optional<KnownChain> before, Optional<KnownChain> now) {
    return isWitnessedPlan(before) != isWitnessedPlan(now);
  }

  private static boolean isWitnessedPlan(Optional<KnownChain> known) {
    return known.filter(it -> it.isWitnessed() && it.planned().isPresent()).isPresent();
  }

  private static String why(Throwable error) {
    Throwable cause = error instanceof CompletionException ? error.getCause() : error;
    return String.valueOf(cause.getMessage());
  }

  private Stream<ResourceID> concerned(
      ChainKey key, Optional<KnownChain> before, Optional<KnownChain> now) {
    Chain chain = chains.get(key);
    Set<String> names =
        isNews(before, now) ? chain.nodes.keySet() : isWord(before, now) ? chain.listing : Set.of();
    return names.stream().map(name -> new ResourceID(name, key.namespace()));
  }
}
