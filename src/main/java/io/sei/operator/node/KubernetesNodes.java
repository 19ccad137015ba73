package io.sei.operator.node;

import static io.sei.operator.kube.ApiErrors.isForbidden;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.NodeFacts;
import io.sei.operator.kube.KubeApi;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Kubernetes nodes under pods. They are many and change all the time, so they are not watched
 * but read when it matters.
 */
public final class KubernetesNodes {

  private static final Logger log = LoggerFactory.getLogger(KubernetesNodes.class);

  /** A fourth of the time that a control plane waits at least before a silent node is not ready. */
  private static final Duration MEMORY = Duration.ofSeconds(10);

  /** A change may have been up to this long after the whole second that the API server has. */
  private static final Duration SECOND = Duration.ofSeconds(1);

  /**
   * Every node is reconciled this often, and asks again for the Kubernetes node that it has doubts
   * of.
   */
  private static final Duration LONG_AGO = Duration.ofMinutes(10);

  private record Memory(NodeFacts facts, Instant readAt) {}

  private final KubeApi api;
  private final Clock clock;
  private final Map<String, Memory> memories = new ConcurrentHashMap<>();
  private volatile Instant refusedUntil = Instant.EPOCH;

  /**
   * KubernetesNodes as this API server has them.
   *
   * @param clock tells how old a memory is, whatever the time is said to be
   */
  public KubernetesNodes(KubeApi api, Clock clock) {
    this.api = api;
    this.clock = clock;
  }

  /**
   * Returns the state of a Kubernetes node, at most ten seconds old.
   *
   * @throws KubernetesClientException if the API server does not say
   */
  NodeFacts of(String name) {
    return of(name, Instant.EPOCH);
  }

  /**
   * Returns the state of a Kubernetes node, at most ten seconds old, and read after one of its pods
   * changed: the lifecycle controller changes the node before it reports its pods unready.
   *
   * @param change time of that change, in whole seconds as the API server has it
   * @throws KubernetesClientException if the API server does not say
   */
  NodeFacts of(String name, Instant change) {
    Instant now = clock.instant();
    Memory memory = memories.get(name);
    if (memory != null
        && now.isBefore(memory.readAt().plus(MEMORY))
        && !memory.readAt().isBefore(change.plus(SECOND))) {
      return memory.facts();
    }
    if (now.isBefore(refusedUntil)) {
      return NodeFacts.unreadable(name);
    }
    NodeFacts facts = read(name, now);
    memories.values().removeIf(candidate -> now.isAfter(candidate.readAt().plus(LONG_AGO)));
    memories.put(name, new Memory(facts, now));
    return facts;
  }

  /**
   * Announcement that the pods of a Kubernetes node are about to be moved; empty if there is none,
   * or the operator has no right to know.
   */
  public Optional<String> leaving(String name) {
    return of(name).leaving();
  }

  /** Returns whether a Kubernetes node was lost when it was last read. Reads nothing. */
  boolean wasLost(String name) {
    Memory memory = memories.get(name);
    return memory != null && memory.facts().isLost();
  }

  private NodeFacts read(String name, Instant now) {
    try {
      return NodeFacts.of(name, api.get(Node.class, name).orElse(null));
    } catch (KubernetesClientException e) {
      if (!isForbidden(e)) {
        throw e;
      }
      refusedUntil = now.plus(Recheck.REFUSED);
      log.info(
          "No right to read Nodes; a lost Kubernetes node is inferred from the state of its pods");
      return NodeFacts.unreadable(name);
    }
  }
}
