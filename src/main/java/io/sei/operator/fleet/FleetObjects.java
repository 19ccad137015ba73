package io.sei.operator.fleet;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.sei.operator.api.v1alpha1.InternalService;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.base.Recheck;
import io.sei.operator.fleet.feature.FleetConditionParts;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.kube.Intent;
import io.sei.operator.kube.OwnedObjects;
import io.sei.operator.kube.OwnedObjects.Outcome;
import io.sei.operator.render.NodeMode;
import io.sei.operator.render.ServiceUrls;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** Keeps what a deployment owns as rendered, and reports what is in the way. */
public record FleetObjects(OwnedObjects objects, FleetCaches caches) implements FleetFeature {

  /**
   * Keeps one object of each {@link OwnedKind}; no Service in front of nodes without RPC. One that
   * is rejected delays no other.
   */
  @Override
  public void keep(FleetPass pass) {
    boolean serves = NodeMode.of(pass.deployment().getSpec().template().spec()).servesRpc();
    OwnedKind.ALL.stream()
        .filter(kind -> serves || kind.type() != Service.class)
        .forEach(kind -> pass.refusals().run(() -> sync(pass, kind)));
  }

  private <T extends HasMetadata> void sync(FleetPass pass, OwnedKind<T> kind) {
    SeiNodeDeployment deployment = pass.deployment();
    boolean kept =
        sync(
            pass,
            Intent.of(deployment, pass.view().namesWithOwnBudget()),
            () -> kind.renderer().apply(pass.view()),
            caches.get(kind.type(), deployment, kind.name().apply(deployment)),
            (live, rendered) -> {});
    if (kept && kind.type() == Service.class) {
      pass.note(ServiceUrls.internalService(deployment));
    }
  }

  /**
   * Keeps an object as rendered.
   *
   * @param intent all that the rendering depends on
   * @param adopt is given the live object and its rendering before that is applied to it
   * @return whether it is as rendered
   */
  public <T extends HasMetadata> boolean sync(
      FleetPass pass,
      Intent intent,
      Supplier<T> rendering,
      Optional<T> cached,
      BiConsumer<T, T> adopt) {
    Outcome outcome =
        objects.sync(pass.deployment(), intent, rendering, cached, adopt, caches::remember);
    switch (outcome) {
      case Outcome.Foreign foreign -> {
        pass.conflict(foreign);
        pass.recheckAfter(Recheck.CONFLICT);
      }
      case Outcome.Terminating _ when cached.isEmpty() -> pass.recheckAfter(Recheck.CONFLICT);
      case Outcome.Changed _ -> pass.recheckAfter(Recheck.RACE);
      case Outcome.Terminating _, Outcome.Ready _ -> {}
    }
    return outcome instanceof Outcome.Ready;
  }

  @Override
  public void conditions(FleetConditionParts conditions) {
    conditions.report(FleetObjects::report);
  }

  /** Keeps the Service as last known, unless it is known now or belongs to another owner. */
  private static void report(FleetPass pass) {
    boolean foreign =
        pass.conflicts().stream().anyMatch(conflict -> conflict.rendered() instanceof Service);
    if (foreign) {
      pass.update(status -> status.withInternalService(null));
    } else {
      pass.noted(InternalService.class)
          .ifPresent(service -> pass.update(status -> status.withInternalService(service)));
    }
  }
}
