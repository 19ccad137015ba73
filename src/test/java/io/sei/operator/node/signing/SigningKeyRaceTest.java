package io.sei.operator.node.signing;

import static io.sei.operator.node.signing.SigningNode.local;
import static io.sei.operator.node.signing.SigningNode.remote;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.base.PerObjectState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two nodes of a namespace claim a key at one moment, in every order in which the API server can
 * get their requests. Each may take another record: the cluster's, or the namespace's.
 */
class SigningKeyRaceTest {

  private static final SigningNode ALICE = local("a", "alice");
  private static final SigningNode AMY = local("a", "amy");
  private static final SigningNode ANNA = remote("a", "anna");
  private static final SigningNode ADA = remote("a", "ada");

  private record Pair(SigningNode one, SigningNode other) {

    List<SigningNode> nodes() {
      return List.of(one, other);
    }
  }

  static List<Pair> pairs() {
    return List.of(
        new Pair(ALICE, ANNA), new Pair(ALICE, AMY), new Pair(ANNA, ADA), new Pair(ANNA, ALICE));
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void oneOfTwoStarts(Pair pair) throws InterruptedException {
    Deque<List<Integer>> open = new ArrayDeque<>(List.of(List.of()));
    while (!open.isEmpty()) {
      var race = new Race(pair.nodes(), open.pop());
      race.run();
      open.addAll(race.otherOrders());
      assertOneStarts(race.api, pair, race.started);
    }
  }

  /** Ends an operator between any two requests, and starts another one. */
  @ParameterizedTest
  @MethodSource("pairs")
  void oneOfTwoStartsThoughTheOperatorEnds(Pair pair) {
    boolean ended = true;
    for (int requests = 0; ended; requests++) {
      var left = new int[] {requests};
      InMemoryApi api =
          api(
              pair.nodes(),
              any -> {
                if (left[0]-- == 0) {
                  throw new IllegalStateException("the operator ends");
                }
              });
      try {
        claims(api, pair.one());
        ended = false;
      } catch (IllegalStateException e) {
        left[0] = Integer.MAX_VALUE;
        boolean started = claims(api, pair.other());
        assertOneStarts(
            api, pair, started ? new ArrayList<>(List.of(pair.other())) : new ArrayList<>());
      }
    }
  }

  /** A node that has not started asks again, and gives way to one that has. */
  private static void assertOneStarts(InMemoryApi api, Pair pair, List<SigningNode> started) {
    assertThat(started)
        .as("%s", api.records().map(SeiSigningKey::getSpec).toList())
        .hasSizeLessThan(2);
    for (int round = 0; round < 3; round++) {
      for (SigningNode node : pair.nodes()) {
        if (!started.contains(node) && claims(api, node)) {
          started.add(node);
        }
      }
    }
    assertThat(started).as("%s", api.records().map(SeiSigningKey::getSpec).toList()).hasSize(1);
  }

  private static InMemoryApi api(List<SigningNode> nodes, Consumer<String> request) {
    var api = new InMemoryApi(Set.of(), request);
    for (SigningNode node : nodes) {
      List.<HasMetadata>of(node.node(), node.boundClaim()).forEach(api::put);
      node.secret().ifPresent(api::put);
    }
    return api;
  }

  /** Returns whether a node gets its pod, which is there at once if it does. */
  private static boolean claims(InMemoryApi api, SigningNode node) {
    var register = new SigningKeyLock(api.api(), api.usage(Set.of()), new PerObjectState<>());
    return register.acquire(node.signer(null), true).veto().isNone();
  }

  /** One order of requests. */
  private static final class Race {

    private final List<SigningNode> nodes;
    private final List<Integer> order;
    private final List<Integer> choices = new ArrayList<>();
    private final List<Integer> answered = new ArrayList<>();
    private final List<SigningNode> started = Collections.synchronizedList(new ArrayList<>());
    private final BlockingQueue<Integer> asking = new LinkedBlockingQueue<>();
    private final List<Semaphore> turns = List.of(new Semaphore(0), new Semaphore(0));
    private final ThreadLocal<Integer> self = new ThreadLocal<>();
    private final InMemoryApi api;

    /**
     * @param order which of those who ask is answered next, as far as that is prescribed
     */
    Race(List<SigningNode> nodes, List<Integer> order) {
      this.nodes = nodes;
      this.order = order;
      this.api = api(nodes, any -> awaitTurn());
    }

    private void awaitTurn() {
      if (self.get() != null) {
        asking.add(self.get());
        turns.get(self.get()).acquireUninterruptibly();
      }
    }

    void run() throws InterruptedException {
      List<Thread> threads = IntStream.range(0, 2).mapToObj(this::claiming).toList();
      List<Integer> waiting = new ArrayList<>();
      int running = 2;
      while (running > 0) {
        for (int i = waiting.size(); i < running; i++) {
          int asks = asking.take();
          if (asks < 0) {
            running--;
          } else {
            waiting.add(asks);
          }
        }
        if (!waiting.isEmpty()) {
          Collections.sort(waiting);
          int choice = answered.size() < order.size() ? order.get(answered.size()) : 0;
          choices.add(waiting.size());
          answered.add(choice);
          turns.get(waiting.remove(choice)).release();
        }
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }

    private Thread claiming(int i) {
      return Thread.ofVirtual()
          .start(
              () -> {
                self.set(i);
                try {
                  if (claims(api, nodes.get(i))) {
                    started.add(nodes.get(i));
                  }
                } finally {
                  asking.add(-1);
                }
              });
    }

    /** Orders that begin like this one and have not been gone through. */
    List<List<Integer>> otherOrders() {
      var others = new ArrayList<List<Integer>>();
      for (int i = order.size(); i < answered.size(); i++) {
        for (int choice = 1; choice < choices.get(i); choice++) {
          var other = new ArrayList<>(answered.subList(0, i));
          other.add(choice);
          others.add(other);
        }
      }
      return others;
    }
  }
}
