package io.sei.operator.disruption;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * PURE: which nodes of a fleet are available, and how many more may be taken down. Every source of
 * disruption decides by this one count: rollout, configuration, early upgrade, snapshot and task.
 *
 * <p>A node that is paused or held is exempt. To a required disruption a node
 * that is terminating, or has not been Ready yet, is exempt as well; to another one it is down.
 *
 * @param ready names of nodes that serve
 * @param down names of nodes that do not serve and are not exempt
 * @param inFlight names of nodes that are being taken down, or are not back yet
 * @param exempt names of nodes that do not count
 */
public record Availability(
    Disruption disruption,
    List<String> ready,
    List<String> down,
    List<String> inFlight,
    List<String> exempt) {

  public Availability {
    ready = List.copyOf(ready);
    down = List.copyOf(down);
    inFlight = List.copyOf(inFlight);
    exempt = List.copyOf(exempt);
  }

  /** Counts the nodes of a fleet for a kind of disruption. */
  public static <N> Availability of(
      Disruption disruption,
      Collection<N> nodes,
      Function<N, String> name,
      Function<N, NodeState> state) {
    var ready = new ArrayList<String>();
    var down = new ArrayList<String>();
    var inFlight = new ArrayList<String>();
    var exempt = new ArrayList<String>();
    for (N node : nodes) {
      NodeState is = state.apply(node);
      List<String> group =
          switch (is) {
            case READY -> ready;
            case IN_FLIGHT -> inFlight;
            case DOWN, NEVER_READY, TERMINATING, SUSPENDED ->
                is.isExemptFrom(disruption) ? exempt : down;
          };
      group.add(name.apply(node));
    }
    return new Availability(disruption, ready, down, inFlight, exempt);
  }

  /** Number of nodes that use the budget: those that are down, and those in flight. */
  public int used() {
    return down.size() + inFlight.size();
  }

  /** Names of the nodes that use the budget. */
  public List<String> unavailable() {
    var names = new ArrayList<>(down);
    names.addAll(inFlight);
    return names.stream().sorted().toList();
  }

  /**
   * Number of nodes that serve and may be taken down now. An optional disruption never takes the
   * last node that serves, unless the fleet has no other node.
   *
   * @param maxUnavailable how many nodes of the fleet may be unavailable at a time
   */
  public int room(int maxUnavailable) {
    int room = Math.max(0, maxUnavailable - used());
    boolean hasOthers = ready.size() + used() + exempt.size() > 1;
    return !disruption.isRequired() && hasOthers
        ? Math.min(room, Math.max(0, ready.size() - 1))
        : room;
  }
}
