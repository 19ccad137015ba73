package io.sei.operator.fleet;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.gatewayapi.v1.HTTPRoute;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.fleet.model.FleetReconcile;
import io.sei.operator.fleet.model.InheritedNetworking;
import io.sei.operator.fleet.model.Retention;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.OwnedObjects;
import io.sei.operator.kube.OwnedObjects.Outcome;
import io.sei.operator.kube.Refusal;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.render.ServiceRenderer;
import io.sei.operator.render.ServiceUrls;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Keeps the Service in front of a fleet, and looks after what the Go operator left beside it. */
public final class FleetNetwork {

  /** Nothing announces that a foreign Service is gone, or that a right was given. */
  private static final Duration TROUBLE_RECHECK = Duration.ofSeconds(30);

  private static final Duration RACE_RECHECK = Duration.ofSeconds(1);

  private final KubeApi api;
  private final OwnedObjects objects;
  private final FleetCaches caches;
  private final RouteReader routes;
  private final ServiceRenderer renderer = new ServiceRenderer();

  public FleetNetwork(KubeApi api, OwnedObjects objects, FleetCaches caches) {
    this.api = api;
    this.objects = objects;
    this.caches = caches;
    this.routes = new RouteReader(this::readRoutes);
  }

  /**
   * Applies what differs, and notes what there is and what the API server refuses.
   *
   * @throws KubernetesClientException if the Service cannot be applied for another reason
   */
  public void sync(FleetReconcile reconcile) {
    keepInherited(reconcile);
    // A quota or an admission webhook may be against it, and no rollout waits for that.
    reconcile.refusals().run(() -> keepService(reconcile));
  }

  /** Forgets what is known of a deployment that is gone. */
  public void forget(ResourceID deployment) {
    routes.forget(deployment);
  }

  /**
   * Takes the owner off all that was made for a fleet and is to outlive it.
   *
   * @throws KubernetesClientException if anything of it cannot be read or changed
   */
  public void release(SeiNodeDeployment fleet) {
    api.list(Service.class, fleet.getMetadata().getNamespace(), labels(fleet))
        .forEach(service -> setOwner(fleet, service));
    readRoutes(fleet).forEach(route -> setOwner(fleet, route));
  }

  private List<HTTPRoute> readRoutes(SeiNodeDeployment fleet) {
    return api.listIfServed(HTTPRoute.class, fleet.getMetadata().getNamespace(), labels(fleet));
  }

  private static Map<String, String> labels(SeiNodeDeployment fleet) {
    return Map.of(Labels.NODE_DEPLOYMENT, fleet.getMetadata().getName());
  }

  private void keepService(FleetReconcile reconcile) {
    SeiNodeDeployment fleet = reconcile.deployment();
    String name = Names.internalService(fleet);
    Outcome outcome =
        objects.sync(
            fleet, () -> renderer.internal(fleet), caches.service(fleet, name), caches::remember);
    if (outcome instanceof Outcome.Ready) {
      reconcile.update(it -> it.withInternalService(ServiceUrls.internalService(fleet)));
    } else if (outcome instanceof Outcome.Foreign foreign) {
      reconcile.update(it -> it.withInternalService(null));
      reconcile.serviceConflict("Service " + name + " belongs to " + foreign.owner());
      reconcile.recheckAfter(TROUBLE_RECHECK);
    } else {
      reconcile.recheckAfter(RACE_RECHECK);
    }
  }

  private void keepInherited(FleetReconcile reconcile) {
    SeiNodeDeployment fleet = reconcile.deployment();
    var inherited = InheritedNetworking.of(fleet, caches.services(fleet), List.of());
    Optional<String> trouble = Optional.empty();
    try {
      inherited =
          InheritedNetworking.of(
              fleet, inherited.services(), routes.read(inherited, reconcile.snapshot().now()));
      inherited.superfluous().forEach(it -> api.delete(it, Propagation.BACKGROUND, false));
      inherited.objects().forEach(object -> setOwner(fleet, object));
    } catch (KubernetesClientException e) {
      // No rollout waits for any of it.
      boolean race = e.getCode() == HttpURLConnection.HTTP_CONFLICT;
      reconcile.recheckAfter(race ? RACE_RECHECK : TROUBLE_RECHECK);
      trouble = race ? Optional.empty() : Optional.of(Refusal.words(e));
    }
    reconcile.inherited(inherited, trouble);
  }

  private void setOwner(SeiNodeDeployment fleet, HasMetadata object) {
    Optional<String> patch = Retention.patch(object, fleet);
    if (patch.isEmpty()) {
      return;
    }
    HasMetadata written = api.mergePatch(object, patch.get());
    if (written instanceof Service service) {
      caches.remember(service, Optional.of((Service) object));
    } else {
      // What was read is of an older version now.
      routes.forget(ResourceID.fromResource(fleet));
    }
  }
}
