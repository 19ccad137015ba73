package io.sei.operator.node.signing;

import static io.sei.operator.node.signing.KeyUsers.EARLY;
import static io.sei.operator.node.signing.KeyUsers.KEY;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.node.feature.KeyUsage;
import io.sei.operator.reconcile.Veto;
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

  /** State of a reconcile: its next step. */
  private enum At {
    REST,
    READ_NODES,
    START,
    CLAIM,
    WAIT,
    WITHDRAW,
    SAY_PAUSED
  }

  /**
   * Public part of a validator's SeiNode.
   *
   * @param claims the key
   */
  private record Seen(boolean claims, boolean paused, boolean saysPaused) {

    Seen claiming(boolean now) {
      return new Seen(now, paused, saysPaused);
    }
  }

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

  /** All of them. */
  private record World(List<One> all) {

    World with(int i, One moved) {
      var next = new ArrayList<>(all);
      next.set(i, moved);
      return new World(List.copyOf(next));
    }

    /** The operator starts again; what it had not done yet is not done. */
    World restarted() {
      return new World(all.stream().map(one -> one.at(At.REST)).toList());
    }
  }

  private record Question(int self, List<Seen> nodes, List<Boolean> runs, int starting) {}

  private final Map<Question, At> decided = new HashMap<>();

  /**
   * @param starting which of them are seen to be starting, as bits; the others come back from a
   *     pause or make a lost StatefulSet again
   * @param pausing whether the user pauses and resumes them, too
   * @param restarting whether the operator is restarted meanwhile
   */
  @ParameterizedTest(name = "{0} validators, {1} starting, paused: {2}, restarted: {3}")
  @CsvSource({
    "3, 0, false, false", "3, 1, false, false", "3, 2, false, false", "3, 3, false, false",
    "3, 4, false, false", "3, 5, false, false", "3, 6, false, false", "3, 7, false, false",
    "2, 0, true, false", "2, 1, true, false", "2, 2, true, false", "2, 3, true, false",
    "2, 0, false, true", "2, 1, false, true", "2, 2, false, true", "2, 3, false, true",
    "2, 0, true, true", "2, 3, true, true", "3, 0, false, true", "3, 5, false, true"
  })
  void neverDoTwoSignAndAlwaysOneCan(
      int validators, int starting, boolean pausing, boolean restarting) {
    Map<World, Set<World>> followers = explore(validators, starting, pausing, restarting);

    assertThat(followers.keySet().stream().map(World::all))
        .noneMatch(all -> all.stream().filter(One::runs).count() > 1)
        .anyMatch(all -> all.get(0).runs());
    assertThat(leadingToAHolder(followers)).hasSameSizeAs(followers.keySet());
    boolean oldestGoesFirst = isSet(starting, 0) && !pausing;
    assertThat(followers.keySet().stream().anyMatch(world -> world.all().get(1).runs()))
        .isNotEqualTo(oldestGoesFirst);
  }

  private Map<World, Set<World>> explore(
      int validators, int starting, boolean pausing, boolean restarting) {
    List<One> begin = IntStream.range(0, validators).mapToObj(i -> One.NEW).toList();
    Map<World, Set<World>> followers = new HashMap<>();
    Deque<World> open = new ArrayDeque<>(List.of(new World(begin)));
    while (!open.isEmpty()) {
      World world = open.pop();
      if (followers.containsKey(world)) {
        continue;
      }
      Set<World> next = new HashSet<>();
      for (int i = 0; i < validators; i++) {
        List<One> moves = new ArrayList<>(moves(world, i, starting));
        if (pausing) {
          moves.add(toggled(world.all().get(i)));
        }
        for (One move : moves) {
          next.add(world.with(i, move));
        }
      }
      if (restarting) {
        next.add(world.restarted());
      }
      followers.put(world, next);
      open.addAll(next);
    }
    return followers;
  }

  /** Returns the worlds that lead to a signer; each of them must meet every condition. */
  private static Set<World> leadingToAHolder(Map<World, Set<World>> followers) {
    Map<World, List<World>> before = new HashMap<>();
    followers.forEach(
        (state, next) ->
            next.forEach(
                world -> before.computeIfAbsent(world, key -> new ArrayList<>()).add(state)));
    Set<World> met = new HashSet<>();
    Deque<World> open =
        new ArrayDeque<>(
            followers.keySet().stream()
                .filter(world -> world.all().stream().anyMatch(One::runs))
                .toList());
    while (!open.isEmpty()) {
      World state = open.pop();
      if (met.add(state)) {
        open.addAll(before.getOrDefault(state, List.of()));
      }
    }
    return met;
  }

  /** The user pauses or resumes; what the status says is of the spec before. */
  private static One toggled(One one) {
    Seen was = one.seen();
    var seen = new Seen(was.claims(), !was.paused(), false);
    At at = one.at() == At.SAY_PAUSED ? At.REST : one.at();
    return new One(at, seen, one.runs(), one.read());
  }

  private List<One> moves(World world, int i, int starting) {
    List<One> all = world.all();
    One self = all.get(i);
    Seen seen = self.seen();
    return switch (self.at()) {
      case REST -> reconcile(all, self);
      case READ_NODES -> {
        List<Boolean> runs = all.stream().map(One::runs).toList();
        yield List.of(self.at(decide(new Question(i, self.read(), runs, starting))));
      }
      case START -> List.of(self.running(true, At.REST));
      case CLAIM -> List.of(self.with(seen.claiming(true)));
      case WAIT -> List.of(self.at(At.REST));
      case WITHDRAW -> List.of(self.with(seen.claiming(false)));
      case SAY_PAUSED -> List.of(self.with(new Seen(seen.claims(), true, true)));
    };
  }

  /** Reconciles a node, which may not know yet that it is paused, unless its status reports it. */
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
        other -> {
          List<SeiNode> nodes =
              IntStream.range(0, other.nodes().size())
                  .mapToObj(i -> node(i, other.nodes().get(i), isSet(other.starting(), i)))
                  .toList();
          List<StatefulSet> statefulSets =
              IntStream.range(0, other.runs().size())
                  .filter(i -> other.runs().get(i))
                  .mapToObj(i -> KeyUsers.statefulSet("validator-" + i, 1, KEY))
                  .toList();
          Veto veto =
              KeyHolders.decide(
                  nodes.get(other.self()), KEY, new KeyUsage(nodes, statefulSets, List.of()));
          return switch (veto) {
            case Veto.None _ -> At.START;
            case Veto.WriteFirst _ -> At.CLAIM;
            case Veto.Refusal refusal -> KeyHolders.isContended(refusal) ? At.WAIT : At.WITHDRAW;
          };
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
