package io.sei.operator.fleet;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.render.DisruptionBudgetRenderer;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.render.ServiceRenderer;
import java.util.List;
import java.util.function.Function;

/**
 * A kind of which a deployment owns one object. A listed kind is watched, kept as rendered, and
 * released with the deployment. A Service of another owner is a conflict; a PodDisruptionBudget of
 * that name is the user's own, and serves instead.
 *
 * @param selector labels of the objects that are watched
 * @param name the object's name
 * @param renderer the object as it should be
 */
public record OwnedKind<T extends HasMetadata>(
    Class<T> type,
    String selector,
    Function<SeiNodeDeployment, String> name,
    Function<FleetView, T> renderer) {

  /** All of them; the headless Services of nodes have the deployment's label too. */
  public static final List<OwnedKind<?>> ALL =
      List.of(
          new OwnedKind<>(
              Service.class,
              Labels.NODE_DEPLOYMENT + ",!" + Labels.NODE,
              Names::internalService,
              fleet -> new ServiceRenderer().internal(fleet.deployment())),
          new OwnedKind<>(
              PodDisruptionBudget.class,
              Labels.NODE_DEPLOYMENT,
              Names::disruptionBudget,
              fleet ->
                  new DisruptionBudgetRenderer()
                      .render(fleet.deployment(), fleet.namesWithOwnBudget())));
}
