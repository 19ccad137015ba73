package io.sei.operator.fleet;

import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.DataVolume.RetentionPolicy;
import io.sei.operator.api.v1alpha1.Networking;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Reads the HTTPRoutes of fleets. They are not watched: a watch of a kind that is missing in the
 * cluster would end the process, and only users change them any more.
 */
public final class RouteReader {

  /** Interval at which a resource without events is reconciled. */
  private static final Duration KEPT = Duration.ofMinutes(10);

  /** Inputs for which an answer is valid. */
  private record Question(
      String uid, Networking networking, RetentionPolicy policy, Set<String> services) {}

  private record Answer(Question question, Instant at, List<HTTPRoute> routes) {}

  private final Function<SeiNodeDeployment, List<HTTPRoute>> source;
  private final PerObjectMap<ResourceID, Answer> answers;

  /**
   * @param source reads the routes with a fleet's label
   * @param memory of fleets
   */
  public RouteReader(
      Function<SeiNodeDeployment, List<HTTPRoute>> source, PerObjectState<ResourceID> memory) {
    this.source = source;
    this.answers = memory.newMap();
  }

  /**
   * The routes with a fleet's label: read again when the fleet's networking, deletion policy or
   * Services are others than at the last time, and after ten minutes. None are read for a fleet in
   * which nothing points to any.
   *
   * @param services what is known without the routes
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if they cannot be read
   */
  public List<HTTPRoute> read(InheritedNetworking services, Instant now) {
    SeiNodeDeployment fleet = services.fleet();
    if (fleet.getSpec().networking() == null && services.isEmpty()) {
      return List.of();
    }
    ResourceID id = ResourceID.fromResource(fleet);
    var question =
        new Question(
            fleet.getMetadata().getUid(),
            fleet.getSpec().networking(),
            fleet.getSpec().deletionPolicy(),
            services.services().stream()
                .map(service -> service.getMetadata().getUid())
                .collect(Collectors.toSet()));
    Answer last = answers.get(id).orElse(null);
    if (last == null
        || !last.question().equals(question)
        || Duration.between(last.at(), now).abs().compareTo(KEPT) >= 0) {
      last = new Answer(question, now, source.apply(fleet));
      answers.put(id, last);
    }
    return last.routes();
  }

  /** Drops what was read for an older version of a fleet. */
  void changed(SeiNodeDeployment fleet) {
    answers.remove(ResourceID.fromResource(fleet));
  }
}
