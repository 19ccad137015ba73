package io.sei.operator.keys;

import static io.sei.operator.keys.KeyUsers.EARLY;
import static io.sei.operator.keys.KeyUsers.KEY;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.SeiNode;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every order in which three validators can read, decide and act: they all want the same key, and
 * between what one reads and what it then does the others may do anything.
 */
class KeyClaimsTest {

  private static final int VALIDATORS = 3;

  private enum At {
    REST,
    READ_NODES,
    FREE,
    UNCLAIMED,
    CONTENDED,
    IN_USE
  }

  /**
   * A validator, somewhere in a reconcile.
   *
   * @param seen which validators had a claim when it read the nodes, as bits
   */
  private record One(At at, boolean claims, boolean runs, int seen) {

    One to(At next) {
      return new One(next, claims, runs, 0);
    }
  }

  private final Map<List<Integer>, At> decided = new HashMap<>();

  /**
   * @param starting which of them are seen to be starting, as bits; the others come back from a
   *     pause or make a lost StatefulSet again
   */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void neverDoTwoSignAndAlwaysOneCan(int starting) {
    Map<List<One>, Set<List<One>>> followers = explore(starting);

    assertThat(followers.keySet())
        .allSatisfy(all -> assertThat(all.stream().filter(One::runs).count()).isLessThan(2));
    assertThat(leadingToAHolder(followers)).containsAll(followers.keySet());
  }

  private Map<List<One>, Set<List<One>>> explore(int starting) {
    var rest = new One(At.REST, false, false, 0);
    List<One> begin = IntStream.range(0, VALIDATORS).mapToObj(i -> rest).toList();
    Map<List<One>, Set<List<One>>> followers = new HashMap<>();
    Deque<List<One>> open = new ArrayDeque<>(List.of(begin));
    while (!open.isEmpty()) {
      List<One> all = open.pop();
      if (followers.containsKey(all)) {
        continue;
      }
      Set<List<One>> next = new HashSet<>();
      for (int i = 0; i < VALIDATORS; i++) {
        var moved = new ArrayList<>(all);
        moved.set(i, move(all, i, starting));
        next.add(List.copyOf(moved));
      }
      followers.put(all, next);
      open.addAll(next);
    }
    return followers;
  }

  /** Going backwards from where somebody signs, everything must be met. */
  private static Set<List<One>> leadingToAHolder(Map<List<One>, Set<List<One>>> followers) {
    Map<List<One>, List<List<One>>> before = new HashMap<>();
    followers.forEach(
        (state, next) ->
            next.forEach(it -> before.computeIfAbsent(it, key -> new ArrayList<>()).add(state)));
    Set<List<One>> met = new HashSet<>();
    Deque<List<One>> open =
        new ArrayDeque<>(
            followers.keySet().stream().filter(all -> all.stream().anyMatch(One::runs)).toList());
    while (!open.isEmpty()) {
      List<One> state = open.pop();
      if (met.add(state)) {
        open.addAll(before.getOrDefault(state, List.of()));
      }
    }
    return met;
  }

  private One move(List<One> all, int i, int starting) {
    One self = all.get(i);
    return switch (self.at()) {
      case REST ->
          self.runs() ? self : new One(At.READ_NODES, self.claims(), false, bits(all, true));
      case READ_NODES -> self.to(decide(i, self.seen(), bits(all, false), starting));
      case FREE -> new One(At.REST, self.claims(), true, 0);
      case UNCLAIMED -> new One(At.REST, true, false, 0);
      case CONTENDED -> self.to(At.REST);
      case IN_USE -> new One(At.REST, false, false, 0);
    };
  }

  private static int bits(List<One> all, boolean claims) {
    return IntStream.range(0, VALIDATORS)
        .filter(i -> claims ? all.get(i).claims() : all.get(i).runs())
        .map(i -> 1 << i)
        .sum();
  }

  private At decide(int self, int claims, int runs, int starting) {
    return decided.computeIfAbsent(
        List.of(self, claims, runs, starting),
        key -> {
          KeyUse use =
              KeyHolders.decide(
                  node(self, claims, starting),
                  KEY,
                  new KeyHolders.Sighting(
                      IntStream.range(0, VALIDATORS)
                          .mapToObj(i -> node(i, claims, starting))
                          .toList(),
                      statefulSets(runs).toList(),
                      List.of()));
          if (use instanceof KeyUse.Free) {
            return At.FREE;
          }
          if (use instanceof KeyUse.Unclaimed) {
            return At.UNCLAIMED;
          }
          return use instanceof KeyUse.Contended ? At.CONTENDED : At.IN_USE;
        });
  }

  private static Stream<StatefulSet> statefulSets(int runs) {
    return IntStream.range(0, VALIDATORS)
        .filter(i -> isSet(runs, i))
        .mapToObj(i -> KeyUsers.statefulSet("validator-" + i, 1, KEY));
  }

  private static SeiNode node(int i, int claims, int starting) {
    SeiNode node = KeyUsers.validator("validator-" + i, EARLY, KEY);
    SeiNode seen = isSet(starting, i) ? KeyUsers.initializing(node, null) : KeyUsers.running(node);
    return isSet(claims, i) ? KeyUsers.claiming(seen) : seen;
  }

  private static boolean isSet(int bits, int i) {
    return (bits & 1 << i) != 0;
  }
}
