package io.sei.operator.node.signing;

import static io.sei.operator.node.signing.KeyUsers.EARLY;
import static io.sei.operator.node.signing.KeyUsers.KEY;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every order in which several validators can read, decide and act: they all want the same key, and
 * between what one reads and what it then does the others, and the user, may do anything.
 */
class KeyClaimsTest {

  /** Where a reconcile stands: what it will do next. */
  private enum At {
    REST,
    READ_NODES,
    START,
    CLAIM,
    WAIT,
    WITHDRAW,
    SAY_PAUSED
  }

  /** What everybody can read of a validator's SeiNode. */
  private record Seen(boolean claims, boolean paused, boolean saysPaused) {}

  /**
   * A validator, somewhere in a reconcile.
   *
   * @param read the nodes as it has read them
   */
  private record One(At at, Seen seen, boolean runs, List<Seen> read) {

    static final One NEW = new One(At.REST, new Seen(false, false, false), false, List.of());

    One at(At next) {
      return new One(next, seen, runs, List.of());
    }

    One with(Seen now) {
      return new One(At.REST, now, runs, List.of());
    }

    One running(boolean now, At next) {
      return new One(next, seen, now, List.of());
    }
  }

  private record Question(int self, List<Seen> nodes, List<Boolean> runs, int starting) {}

  private final Map<Question, At> decided = new HashMap<>();

  /**
   * @param starting which of them are seen to be starting, as bits; the others come back from a
   *     pause or make a lost StatefulSet again
   * @param pausing whether the user pauses and resumes them, too
   */
  @ParameterizedTest(name = "{0} validators, {1} starting, paused now and then: {2}")
  @CsvSource({
    "3, 0, false", "3, 1, false", "3, 2, false", "3, 3, false",
    "3, 4, false", "3, 5, false", "3, 6, false", "3, 7, false",
    "2, 0, true", "2, 1, true", "2, 2, true", "2, 3, true"
  })
  void neverDoTwoSignAndAlwaysOneCan(int validators, int starting, boolean pausing) {
    Map<List<One>, Set<List<One>>> followers = explore(validators, starting, pausing);

    assertThat(followers.keySet())
        .noneMatch(all -> all.stream().filter(One::runs).count() > 1)
        .anyMatch(all -> all.get(0).runs());
    assertThat(leadingToAHolder(followers)).hasSameSizeAs(followers.keySet());
    boolean oldestGoesFirst = isSet(starting, 0) && !pausing;
    assertThat(followers.keySet().stream().anyMatch(all -> all.get(1).runs()))
        .isNotEqualTo(oldestGoesFirst);
  }

  private Map<List<One>, Set<List<One>>> explore(int validators, int starting, boolean pausing) {
    List<One> begin = IntStream.range(0, validators).mapToObj(i -> One.NEW).toList();
    Map<List<One>, Set<List<One>>> followers = new HashMap<>();
    Deque<List<One>> open = new ArrayDeque<>(List.of(begin));
    while (!open.isEmpty()) {
      List<One> all = open.pop();
      if (followers.containsKey(all)) {
        continue;
      }
      Set<List<One>> next = new HashSet<>();
      for (int i = 0; i < validators; i++) {
        List<One> moves = new ArrayList<>(moves(all, i, starting));
        if (pausing) {
          moves.add(toggled(all.get(i)));
        }
        for (One move : moves) {
          var moved = new ArrayList<>(all);
          moved.set(i, move);
          next.add(List.copyOf(moved));
        }
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

  /** The user pauses or resumes; what the status says is of the spec before. */
  private static One toggled(One one) {
    var seen = new Seen(one.seen().claims(), !one.seen().paused(), false);
    At at = one.at() == At.SAY_PAUSED ? At.REST : one.at();
    return new One(at, seen, one.runs(), one.read());
  }

  private List<One> moves(List<One> all, int i, int starting) {
    One self = all.get(i);
    Seen seen = self.seen();
    return switch (self.at()) {
      case REST -> reconcile(all, self);
      case READ_NODES -> {
        List<Boolean> runs = all.stream().map(One::runs).toList();
        yield List.of(self.at(decide(new Question(i, self.read(), runs, starting))));
      }
      case START -> List.of(self.running(true, At.REST));
      case CLAIM -> List.of(self.with(new Seen(true, seen.paused(), seen.saysPaused())));
      case WAIT -> List.of(self.at(At.REST));
      case WITHDRAW -> List.of(self.with(new Seen(false, seen.paused(), seen.saysPaused())));
      case SAY_PAUSED -> List.of(self.with(new Seen(seen.claims(), true, true)));
    };
  }

  /** It may not have heard yet that it is paused; it has, once it has said so. */
  private static List<One> reconcile(List<One> all, One self) {
    var moves = new ArrayList<One>();
    if (self.seen().paused()) {
      moves.add(self.running(false, At.SAY_PAUSED));
    }
    boolean mayStart = !self.runs() && !(self.seen().paused() && self.seen().saysPaused());
    if (mayStart) {
      List<Seen> read = all.stream().map(One::seen).toList();
      moves.add(new One(At.READ_NODES, self.seen(), false, read));
    }
    return moves;
  }

  private At decide(Question question) {
    return decided.computeIfAbsent(
        question,
        it -> {
          List<SeiNode> nodes =
              IntStream.range(0, it.nodes().size())
                  .mapToObj(i -> node(i, it.nodes().get(i), isSet(it.starting(), i)))
                  .toList();
          List<StatefulSet> statefulSets =
              IntStream.range(0, it.runs().size())
                  .filter(i -> it.runs().get(i))
                  .mapToObj(i -> KeyUsers.statefulSet("validator-" + i, 1, KEY))
                  .toList();
          KeyUse use =
              KeyHolders.decide(
                  nodes.get(it.self()), KEY, new Sighting(nodes, statefulSets, List.of()));
          if (use instanceof KeyUse.Free) {
            return At.START;
          }
          if (use instanceof KeyUse.Unclaimed) {
            return At.CLAIM;
          }
          return use instanceof KeyUse.Contended ? At.WAIT : At.WITHDRAW;
        });
  }

  private static SeiNode node(int i, Seen seen, boolean starting) {
    SeiNode node = KeyUsers.validator("validator-" + i, EARLY, KEY);
    KeyUsers.running(node);
    if (starting) {
      KeyUsers.initializing(node, null);
    }
    if (seen.claims()) {
      KeyUsers.claiming(node);
    }
    if (seen.paused()) {
      KeyUsers.paused(node);
    }
    if (seen.saysPaused()) {
      KeyUsers.saying(node, NodeConditionType.PAUSED, ConditionStatus.TRUE);
    }
    return node;
  }

  private static boolean isSet(int bits, int i) {
    return (bits & 1 << i) != 0;
  }
}
