package io.sei.operator.fleet.disruption;

import io.sei.operator.api.v1alpha1.Progress;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.fleet.feature.Disruption;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.FleetView.DisruptionSource;
import io.sei.operator.render.ChildRenderer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * PURE: the order of the sources of disruption of a fleet, and what the budget leaves to each. A
 * node that is not Ready may be taken down at any time. One that is Ready waits until no earlier
 * source makes progress, and then for the budget. A rollout admits nodes by a policy of its own,
 * and is here what the other sources wait for.
 */
public final class Disruptions {

  private final FleetView view;
  private final List<DisruptionSource> sources;

  private Disruptions(FleetView view) {
    this.view = view;
    this.sources = view.sources();
  }

  /** The disruptions of a fleet, by the record of each source. */
  public static Disruptions of(FleetView view) {
    return new Disruptions(view);
  }

  /** Returns the candidates of a source that may be taken down now, in their order. */
  public List<FleetNode> admit(Disruption disruption, List<FleetNode> candidates) {
    boolean waits = earlier(disruption).isPresent();
    return availability(disruption)
        .admit(candidates.stream().filter(node -> !waits || !node.isReady()).toList());
  }

  /** Reason for which a source may not take down a Ready node yet; empty if it may. */
  public Optional<String> obstacle(Disruption disruption) {
    return earlier(disruption)
        .map(source -> describe(source) + " is not complete")
        .or(availability(disruption)::obstacle);
  }

  /** Returns whether a source makes progress without help, also between two admissions. */
  public boolean isMakingProgress(Disruption disruption) {
    return sources.stream()
        .anyMatch(source -> source.disruption() == disruption && isMakingProgress(source));
  }

  /**
   * A source that took a node down in this pass makes progress. No other does while the stored
   * status is stalled by a write that the API server rejected.
   */
  private boolean isMakingProgress(DisruptionSource source) {
    Progress progress = view.stored().progress();
    boolean isRefused =
        progress != null
            && progress.stalledOn(StallReason.APPLY_REFUSED, StallReason.QUOTA_EXCEEDED);
    return view.taken().containsValue(source.disruption())
        || !isRefused && source.isMakingProgress(view);
  }

  /** The first of the earlier sources that makes progress. */
  private Optional<DisruptionSource> earlier(Disruption disruption) {
    return sources.stream()
        .filter(source -> source.disruption().compareTo(disruption) < 0)
        .filter(this::isMakingProgress)
        .findFirst();
  }

  private String describe(DisruptionSource source) {
    String nodes = inFlight(source).map(FleetNode::name).collect(Collectors.joining(", "));
    return source.disruption().title() + (nodes.isEmpty() ? "" : " at " + nodes);
  }

  private Availability availability(Disruption disruption) {
    Set<FleetNode> inFlight = sources.stream().flatMap(this::inFlight).collect(Collectors.toSet());
    return Availability.of(
        disruption,
        view.limits(),
        view.fleet(),
        missing(),
        node -> node.switching() && !node.neverReady() || inFlight.contains(node));
  }

  /** Nodes that a source has recorded as taken down, or has taken down in this pass. */
  private Stream<FleetNode> inFlight(DisruptionSource source) {
    List<FleetNode> recorded = source.inFlight(view);
    return view.fleet().stream()
        .filter(
            node ->
                recorded.contains(node) || view.taken().get(node.name()) == source.disruption());
  }

  private List<String> missing() {
    return IntStream.range(0, view.replicas())
        .filter(ordinal -> view.child(ordinal).isEmpty())
        .mapToObj(ordinal -> ChildRenderer.name(view.deployment(), ordinal))
        .toList();
  }
}
