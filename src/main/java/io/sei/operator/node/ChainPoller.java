package io.sei.operator.node;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.base.Answer;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Poller;
import io.sei.operator.base.Poller.Demand;
import io.sei.operator.base.Polling;
import io.sei.operator.chain.ChainAnswer;
import io.sei.operator.chain.ChainClient;
import io.sei.operator.chain.ChainReport;
import io.sei.operator.chain.ChainState;
import io.sei.operator.chain.NodeRpc;
import io.sei.operator.chain.UpgradePlan;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.plan.Backoff;
import io.sei.operator.render.NodeMode;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls each chain for the upgrade that it has planned and those that it votes on, once per
 * namespace however many nodes are there, and only through a node whose pod is Ready: each time
 * through the next one, so that no node can keep the answers of the others from being heard. A plan
 * or proposal that appeared, changed or vanished reconciles all nodes of that chain; a new height
 * reconciles none.
 */
public final class ChainPoller {

  private static final Logger log = LoggerFactory.getLogger(ChainPoller.class);

  /** Longest time between two questions: most upgrades are planned days ahead. */
  static final Duration CALM = Duration.ofMinutes(5);

  /** Shortest time between two questions, and that in the last hour before an upgrade. */
  static final Duration HURRIED = Duration.ofSeconds(10);

  private static final Duration LAST_HOUR = Duration.ofHours(1);

  /** A proposal is seen early in its vote, and its plan soon after it. */
  private static final int QUESTIONS_PER_VOTE = 4;

  /** Governance may change its periods, but rarely does. */
  private static final Duration PARAMETERS_HOLD = Duration.ofDays(1);

  /** Once after a node that did not answer, through the next one. */
  static final Duration AGAIN = Duration.ofSeconds(30);

  /** Last question to a node before it stops for a snapshot. */
  private record LastWord(String snapshot, CompletableFuture<?> said) {}

  /** A chain in a namespace, from its first node to its last; the question that is polled. */
  private static final class Chain {
    private final ResourceID key;

    /** Its nodes by name; those have an RPC to ask whose pod is Ready. */
    private final NavigableMap<String, Optional<NodeRpc>> nodes = new TreeMap<>();

    /** The newest block of each node that has answered. */
    private final Map<String, Long> heights = new HashMap<>();

    /** Last planned upgrade that each node has reported. */
    private final Map<String, Optional<UpgradePlan>> said = new HashMap<>();

    private final Map<String, LastWord> lastWords = new HashMap<>();

    /** Its nodes that do more about a plan once two nodes know of it. */
    private final Set<String> listing = new HashSet<>();

    /**
     * Its nodes with {@code spec.fullNode.freeze}, which stay behind their chain from that height
     * on.
     */
    private final Set<String> freezing = new HashSet<>();

    /** The node that was asked last. */
    private String asked = "";

    /** The node whose answer raised a doubt about the plan; null if there is none. */
    private String doubter;

    private Duration pause = CALM;
    private int failures;
    private ChainState known;

    /** The shorter of its voting periods; null until it is known. */
    private Duration votingPeriod;

    private Instant votingPeriodAt = Instant.MIN;

    Chain(ResourceID key) {
      this.key = key;
    }

    /**
     * Returns the first node that can be polled after the one that was polled last; one that
     * freezes only where there is no other.
     */
    Optional<NodeRpc> next() {
      List<NodeRpc> inOrder =
          Stream.concat(
                  nodes.tailMap(asked, false).values().stream(),
                  nodes.headMap(asked, true).values().stream())
              .flatMap(Optional::stream)
              .toList();
      return inOrder.stream()
          .filter(rpc -> !freezing.contains(rpc.nodeName()))
          .findFirst()
          .or(() -> inOrder.stream().findFirst());
    }

    Demand demand() {
      return Demand.every(pause);
    }

    /** Returns the time from an answer to the next question. */
    Duration pace(Instant now) {
      Duration pace = CALM;
      if (votingPeriod != null) {
        pace = limited(votingPeriod.dividedBy(QUESTIONS_PER_VOTE));
      }
      if (known == null || known.planned().isEmpty()) {
        return pace;
      }
      if (known.blocksPerSecond().isEmpty()) {
        // The next answer shows whether this is the last hour.
        return HURRIED;
      }
      Optional<Instant> expected = known.plannedTime();
      if (expected.isEmpty()) {
        return pace;
      }
      Duration untilLastHour = Duration.between(now, expected.get().minus(LAST_HOUR));
      return shorter(pace, limited(untilLastHour));
    }

    private static Duration limited(Duration pace) {
      return pace.compareTo(HURRIED) < 0 ? HURRIED : shorter(pace, CALM);
    }

    boolean hasOthersThan(String node) {
      return nodes.entrySet().stream()
          .anyMatch(entry -> entry.getValue().isPresent() && !entry.getKey().equals(node));
    }
  }

  private final ChainClient client;
  private final Clock clock;

  /** Chains by id and namespace. */
  private final Map<ResourceID, Chain> chains = new HashMap<>();

  private final Map<ResourceID, ResourceID> keys = new HashMap<>();
  private final PerObjectState<ResourceID> nodes;
  private final Poller<ResourceID, Chain, ChainAnswer> poller;

  /**
   * @param clock judges the time of blocks
   * @param polling of nodes
   */
  public ChainPoller(ChainClient client, Clock clock, Polling<ResourceID> polling) {
    this.client = client;
    this.clock = clock;
    this.nodes = polling.memory();
    var chains =
        new Polling<>(new PerObjectState<ResourceID>(), polling.executor(), polling.clock());
    this.poller = new Poller<>(chains, this::ask, this::answered);
    nodes.onDrop(this::end);
  }

  /**
   * Notes a node as it was just observed, and wakes it if it was observed before the news that woke
   * the others. Never waits.
   */
  void observe(NodeView view) {
    ResourceID node = ResourceID.fromResource(view.node());
    Optional<NodeRpc> rpc =
        view.livePod()
            .filter(pod -> PodFacts.isReady(pod) && view.servesRpc())
            .map(
                pod ->
                    new NodeRpc(
                        pod.getMetadata().getNamespace(), node.getName(), PodFacts.address(pod)));
    SeiNodeSpec spec = view.node().getSpec();
    boolean lists = spec.upgradePolicy() != null;
    synchronized (this) {
      observe(node, spec.chainId(), rpc);
      note(node, lists, spec.freeze().isPresent());
    }
    Optional<ChainState> known = known(view.node());
    if (isNews(view.chain(), known) || (lists && isWord(view.chain(), known))) {
      nodes.wake(node);
    }
  }

  /**
   * Notes a node of a chain.
   *
   * @param rpc where it can be asked; empty while its pod is not Ready
   */
  synchronized void observe(ResourceID node, String chainId, Optional<NodeRpc> rpc) {
    var key = new ResourceID(chainId, node.getNamespace().orElse(""));
    if (!key.equals(keys.get(node))) {
      end(node);
      keys.put(node, key);
    }
    Chain chain = chains.computeIfAbsent(key, Chain::new);
    chain.nodes.put(node.getName(), rpc);
    if (rpc.isPresent()) {
      poller.ask(key, chain, chain.demand());
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
    ResourceID key = keys.remove(node);
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
        poller.stop(key);
      }
    }
  }

  /** Returns the known state of a node's chain; empty until one of its nodes has answered. */
  synchronized Optional<ChainState> known(SeiNode node) {
    ResourceID key = keyOf(node);
    // A node that executes no blocks does not halt for an upgrade either.
    return known(key).filter(state -> NodeMode.of(node.getSpec()).servesRpc());
  }

  /** The state of a chain as the nodes of a namespace know it. */
  public synchronized Optional<ChainState> lastHeard(String namespace, String chainId) {
    return known(new ResourceID(chainId, namespace));
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  private static ResourceID keyOf(SeiNode node) {
    return new ResourceID(node.getSpec().chainId(), node.getMetadata().getNamespace());
  }

  private Optional<ChainState> known(ResourceID key) {
    return Optional.ofNullable(chains.get(key))
        .map(chain -> chain.known)
        .map(known -> isWitnessed(key.getName(), known) ? known.witnessed() : known);
  }

  private boolean isWitnessed(String chainId, ChainState known) {
    return chains.entrySet().stream()
            .filter(entry -> entry.getKey().getName().equals(chainId))
            .flatMap(entry -> entry.getValue().said.values().stream())
            .filter(known.planned()::equals)
            .limit(2)
            .count()
        == 2;
  }

  /** The newest block that a node itself was heard to have; it has at least that. */
  synchronized Optional<Long> height(SeiNode node) {
    ResourceID key = keyOf(node);
    return Optional.ofNullable(chains.get(key))
        .map(chain -> chain.heights.get(node.getMetadata().getName()));
  }

  /**
   * Asks a node for its newest block before it is stopped for a snapshot, once.
   *
   * @return whether the pass has to be repeated: the answer may still come, or came after the node
   *     was observed
   */
  boolean awaitsHeight(NodeView view, String snapshot) {
    ResourceID node = ResourceID.fromResource(view.node());
    CompletableFuture<?> said;
    synchronized (this) {
      ResourceID key = keys.get(node);
      Chain chain = key == null ? null : chains.get(key);
      Optional<NodeRpc> rpc = chain == null ? Optional.empty() : chain.nodes.get(node.getName());
      if (rpc.isEmpty()) {
        return false;
      }
      LastWord earlier = chain.lastWords.get(node.getName());
      if (earlier != null && earlier.snapshot().equals(snapshot)) {
        return !earlier.said().isDone() || !height(view.node()).equals(view.height());
      }
      said =
          client
              .ask(rpc.get(), key.getName())
              .thenAccept(answer -> heard(chain, node, answer.head().height()));
      chain.lastWords.put(node.getName(), new LastWord(snapshot, said));
    }
    said.whenComplete((nothing, error) -> nodes.wake(node));
    return true;
  }

  private synchronized void heard(Chain chain, ResourceID node, long height) {
    chain.heights.merge(node.getName(), height, Math::max);
  }

  /** The known state of every chain that has answered; sends no request. */
  public synchronized Stream<ChainReport> reports() {
    return chains.entrySet().stream()
        .filter(entry -> entry.getValue().known != null)
        .map(
            entry ->
                new ChainReport(
                    entry.getKey().getNamespace().orElse(""),
                    entry.getKey().getName(),
                    entry.getValue().known))
        .toList()
        .stream();
  }

  private CompletionStage<ChainAnswer> ask(Chain chain) {
    Optional<NodeRpc> next;
    boolean isPeriodDue;
    synchronized (this) {
      if (chains.get(chain.key) != chain) {
        return CompletableFuture.failedFuture(new NoSuchElementException());
      }
      next = chain.next();
      if (next.isEmpty()) {
        // The next node that becomes Ready starts the poll again.
        poller.stop(chain.key);
        return CompletableFuture.failedFuture(new NoSuchElementException());
      }
      chain.asked = next.get().nodeName();
      isPeriodDue = chain.votingPeriodAt.isBefore(clock.instant().minus(PARAMETERS_HOLD));
    }
    CompletableFuture<ChainAnswer> answer = client.ask(next.get(), chain.key.getName());
    if (!isPeriodDue) {
      return answer;
    }
    return client
        .votingPeriod(next.get())
        .handle((period, error) -> period)
        .thenCompose(
            period -> {
              noteVotingPeriod(chain, period);
              return answer;
            });
  }

  /**
   * Notes the voting period.
   *
   * @param period null if the node did not say, so that the next one is asked
   */
  private synchronized void noteVotingPeriod(Chain chain, Duration period) {
    if (period != null) {
      chain.votingPeriod = period;
      chain.votingPeriodAt = clock.instant();
    }
  }

  private boolean answered(ResourceID key, Chain chain, Answer<ChainAnswer> answer) {
    List<ResourceID> concerned;
    synchronized (this) {
      if (chains.get(key) != chain) {
        return false;
      }
      Map<ResourceID, Optional<ChainState>> before = everywhere(key.getName());
      if (answer instanceof Answer.Failed<ChainAnswer>(RuntimeException why)) {
        failed(key, chain, String.valueOf(why.getMessage()));
      } else {
        heard(key, chain, answer.value().orElseThrow());
      }
      poller.ask(key, chain, chain.demand());
      concerned =
          before.entrySet().stream()
              .flatMap(entry -> concerned(entry.getKey(), entry.getValue(), known(entry.getKey())))
              .toList();
    }
    concerned.forEach(nodes::wake);
    return false;
  }

  private void heard(ResourceID key, Chain chain, ChainAnswer answer) {
    Optional<ChainState> before = Optional.ofNullable(chain.known);
    Optional<String> objection = ChainState.objection(answer, before, clock.instant());
    if (objection.isPresent()) {
      failed(key, chain, objection.get());
      return;
    }
    boolean others = chain.hasOthersThan(chain.asked);
    boolean isDoubter = chain.asked.equals(chain.doubter);
    ChainState now =
        before
            .map(
                known -> isDoubter ? known.heardAgain(answer, others) : known.heard(answer, others))
            .orElseGet(() -> ChainState.of(answer));
    chain.known = now;
    chain.doubter = now.isDoubted() ? chain.asked : null;
    chain.heights.put(chain.asked, answer.head().height());
    if (chain.nodes.containsKey(chain.asked)) {
      chain.said.put(chain.asked, ChainState.of(answer).planned());
    }
    chain.failures = 0;
    boolean isFirst = before.flatMap(ChainState::planned).isEmpty() && now.planned().isPresent();
    boolean wantsWitness = isFirst && others && !chain.listing.isEmpty();
    boolean isNewDoubt = now.isDoubted() && !isDoubter;
    chain.pause = isNewDoubt || wantsWitness ? Duration.ZERO : chain.pace(clock.instant());
  }

  private void failed(ResourceID key, Chain chain, String why) {
    Duration pace = chain.pace(clock.instant());
    if (chain.freezing.contains(chain.asked)) {
      chain.pause = pace;
      return;
    }
    if (chain.failures == 0) {
      log.warn(
          "Cannot ask node {} what upgrade chain {} has planned: {}",
          key.getNamespace().orElse("") + "/" + chain.asked,
          key.getName(),
          why);
    }
    chain.failures++;
    // A node that has just become Ready may be at its upgrade height within seconds.
    if (chain.known == null) {
      chain.pause = Backoff.OF_TASKS.after(chain.failures);
    } else {
      chain.pause = chain.failures == 1 ? shorter(AGAIN, pace) : pace;
    }
  }

  private Map<ResourceID, Optional<ChainState>> everywhere(String chainId) {
    return chains.keySet().stream()
        .filter(key -> key.getName().equals(chainId))
        .collect(Collectors.toMap(resourceID -> resourceID, this::known));
  }

  private static boolean isNews(Optional<ChainState> before, Optional<ChainState> now) {
    return !before.map(ChainState::planned).equals(now.map(ChainState::planned))
        || !before.map(ChainState::proposed).equals(now.map(ChainState::proposed));
  }

  /** Returns whether a plan has just got or lost its second witness. */
  private static boolean isWord(Optional<ChainState> before, Optional<ChainState> now) {
    return isWitnessedPlan(before) != isWitnessedPlan(now);
  }

  private static boolean isWitnessedPlan(Optional<ChainState> known) {
    return known.filter(state -> state.isWitnessed() && state.planned().isPresent()).isPresent();
  }

  private Stream<ResourceID> concerned(
      ResourceID key, Optional<ChainState> before, Optional<ChainState> now) {
    Chain chain = chains.get(key);
    Set<String> names =
        isNews(before, now) ? chain.nodes.keySet() : isWord(before, now) ? chain.listing : Set.of();
    return names.stream().map(name -> new ResourceID(name, key.getNamespace().orElse("")));
  }
}
