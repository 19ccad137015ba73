package io.sei.operator.fleet.disruption;

import io.sei.operator.disruption.Availability;
import io.sei.operator.disruption.Disruption;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetView;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * PURE: decides which nodes of a fleet may be taken down next, and for what. A node that is not
 * Ready costs nothing. One that is Ready waits until no earlier source makes progress, and then for
 * the budget.
 */
public final class Disruptions {

  private final FleetView view;
  private final List<DisruptionSource> sources;

  private Disruptions(FleetView view) {
    this.view = view;
    this.sources =
        view.parts().stream()
            .filter(DisruptionSource.class::isInstance)
            .map(DisruptionSource.class::cast)
            .sorted(Comparator.comparing(DisruptionSource::disruption))
            .toList();
  }

  /** The disruptions of a fleet, by the record of each source. */
  public static Disruptions of(FleetView view) {
    return new Disruptions(view);
  }

  /** Those of a source's candidates that may be taken down now, in their order. */
  public List<FleetNode> admit(Disruption disruption, List<FleetNode> candidates) {
    int room = obstacle(disruption).isPresent() ? 0 : room(availability(disruption));
    var admitted = new ArrayList<FleetNode>();
    for (FleetNode node : candidates) {
      if (!node.isReady()) {
        admitted.add(node);
      } else if (room > 0) {
        admitted.add(node);
        room--;
      }
    }
    return admitted;
  }

  /** What a source waits for before it takes down a node that is Ready; empty if it need not. */
  public Optional<String> obstacle(Disruption disruption) {
    return earlier(disruption)
        .map(source -> describe(source) + " is not complete")
        .or(() -> budgetUsedUp(availability(disruption)));
  }

  /** Whether a source has open admissions that are expected to be done without help. */
  public boolean isMakingProgress(Disruption disruption) {
    return sources.stream()
        .anyMatch(source -> source.disruption() == disruption && source.isMakingProgress(view));
  }

  /** The first of the earlier sources that makes progress. */
  private Optional<DisruptionSource> earlier(Disruption disruption) {
    return sources.stream()
        .filter(source -> source.disruption().compareTo(disruption) < 0)
        .filter(source -> source.isMakingProgress(view))
        .findFirst();
  }

  private String describe(DisruptionSource source) {
    String nodes =
        source.inFlight(view).stream().map(FleetNode::name).collect(Collectors.joining(", "));
    return source.disruption().title() + (nodes.isEmpty() ? "" : " at " + nodes);
  }

  private Optional<String> budgetUsedUp(Availability availability) {
    int limit = view.limits().maxUnavailable();
    if (availability.used() >= limit) {
      return Optional.of(
          "maxUnavailable %d is used up by: %s"
              .formatted(limit, String.join(", ", availability.unavailable())));
    }
    return room(availability) == 0
        ? Optional.of("no other node of the fleet is Ready")
        : Optional.empty();
  }

  private int room(Availability availability) {
    return availability.room(view.limits().maxUnavailable());
  }

  private Availability availability(Disruption disruption) {
    Set<String> inFlight = new HashSet<>();
    for (DisruptionSource source : sources) {
      source.inFlight(view).forEach(node -> inFlight.add(node.name()));
    }
    return FleetNode.availability(
        disruption, view.fleet(), node -> node.switching() || inFlight.contains(node.name()));
  }
}
