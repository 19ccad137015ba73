package io.sei.operator.fleet;

import static io.sei.operator.kube.ApiErrors.isConflict;
import static io.sei.operator.reconcile.ConditionProposal.no;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Recheck;
import io.sei.operator.fleet.feature.FleetConditionParts;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.fleet.feature.Retention;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.Refusal;
import io.sei.operator.reconcile.ApiRejections;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.FleetOwner;
import io.sei.operator.render.Labels;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Looks after what the Go operator made for a fleet beside its nodes, and releases it. */
public final class InheritedObjects implements FleetFeature {

  /**
   * Result of the search.
   *
   * @param trouble why more may be there, or why its owners are not as they should be
   */
  public record Found(InheritedNetworking networking, Optional<String> trouble) {}

  /** Interval at which refused reads are repeated: a granted right causes no event. */
  private static final Duration TROUBLE_RECHECK = Duration.ofSeconds(30);

  private final KubeApi api;
  private final FleetCaches caches;
  private final RouteReader routes;

  public InheritedObjects(KubeApi api, FleetCaches caches, PerObjectState<ResourceID> memory) {
    this.api = api;
    this.caches = caches;
    this.routes = new RouteReader(this::readRoutes, memory);
  }

  /** Keeps their owners as the deletion policy asks, and reports what there is. */
  @Override
  public void keep(FleetPass pass) {
    SeiNodeDeployment fleet = pass.deployment();
    List<Service> services = caches.list(Service.class, fleet);
    var inherited = InheritedNetworking.of(fleet, services, List.of());
    Optional<String> trouble = Optional.empty();
    try {
      inherited =
          InheritedNetworking.of(fleet, services, routes.read(inherited, pass.view().now()));
      inherited
          .superfluous()
          .forEach(service -> api.delete(service, Propagation.BACKGROUND, false));
      inherited.objects().forEach(object -> setOwner(fleet, object));
    } catch (KubernetesClientException e) {
      // No rollout waits for any of it.
      boolean race = isConflict(e);
      pass.recheckAfter(race ? Recheck.RACE : TROUBLE_RECHECK);
      trouble = race ? Optional.empty() : Optional.of(Refusal.words(e));
    }
    pass.note(new Found(inherited, trouble));
  }

  /**
   * Takes the owner off all that was made for a retained fleet, by this operator as well.
   *
   * @throws KubernetesClientException if anything of it cannot be read or changed
   */
  @Override
  public void release(SeiNodeDeployment fleet, List<SeiNode> nodes, ApiRejections rejections) {
    if (!FleetOwner.isRetained(fleet) || !fleet.hasFinalizer(FleetOwner.FINALIZER)) {
      return;
    }
    for (OwnedKind<?> kind : OwnedKind.ALL) {
      api.list(kind.type(), fleet.getMetadata().getNamespace(), labels(fleet))
          .forEach(object -> setOwner(fleet, object));
    }
    readRoutes(fleet).forEach(route -> setOwner(fleet, route));
  }

  @Override
  public void conditions(FleetConditionParts conditions) {
    conditions.report(InheritedObjects::report);
  }

  private static void report(FleetPass pass) {
    if (concernsNetworking(pass)) {
      pass.offer(FleetConditionType.NETWORKING_READY, networkingReady(pass));
    }
  }

  /** A fleet that never had to do with networking has no condition of it. */
  private static boolean concernsNetworking(FleetPass pass) {
    return pass.deployment().getSpec().networking() != null
        || pass.stored().condition(FleetConditionType.NETWORKING_READY).isPresent()
        || pass.noted(Found.class)
            .filter(
                candidate ->
                    candidate.networking().words().isPresent() || candidate.trouble().isPresent())
            .isPresent();
  }

  private static ConditionProposal networkingReady(FleetPass pass) {
    Optional<Found> found = pass.noted(Found.class);
    Optional<String> inherited = found.flatMap(present -> present.networking().words());
    String trouble =
        found.flatMap(Found::trouble).map(text -> "; the API server says: " + text).orElse("");
    if (inherited.isPresent()) {
      return no(
          FleetReason.NOT_MANAGED,
          "created by the Go operator, not managed by this one: " + inherited.get() + trouble);
    }
    return pass.deployment().getSpec().networking() == null
        ? no(FleetReason.NETWORKING_DISABLED, "spec.networking is not set" + trouble)
        : no(
            FleetReason.NOT_SUPPORTED,
            "spec.networking is accepted but not supported yet" + trouble);
  }

  private List<HTTPRoute> readRoutes(SeiNodeDeployment fleet) {
    return api.listIfServed(HTTPRoute.class, fleet.getMetadata().getNamespace(), labels(fleet));
  }

  private static Map<String, String> labels(SeiNodeDeployment fleet) {
    return Map.of(Labels.NODE_DEPLOYMENT, fleet.getMetadata().getName());
  }

  private <T extends HasMetadata> void setOwner(SeiNodeDeployment fleet, T object) {
    Optional<String> patch = Retention.patch(object, fleet);
    if (patch.isEmpty()) {
      return;
    }
    T written = api.mergePatch(object, patch.get());
    if (written instanceof HTTPRoute) {
      routes.changed(fleet);
    } else {
      caches.remember(written, Optional.of(object));
    }
  }
}
