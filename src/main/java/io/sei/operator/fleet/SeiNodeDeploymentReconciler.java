package io.sei.operator.fleet;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.kube.ReconcileGate;
import io.sei.operator.kube.RecreatedResources;
import io.sei.operator.reconcile.Kernel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** The framework's side of the SeiNodeDeployment controller. */
@ControllerConfiguration(name = SeiNodeDeploymentReconciler.NAME)
public final class SeiNodeDeploymentReconciler implements Reconciler<SeiNodeDeployment> {

  /** Name of the controller, of its field manager and of its events' source. */
  public static final String NAME = "seinodedeployment-controller";

  private final Function<FleetCaches, Kernel<SeiNodeDeployment, ?, ?>> assembly;
  private final PerObjectState<ResourceID> memory;
  private final ReconcileGate gate;
  private volatile Kernel<SeiNodeDeployment, ?, ?> pipeline;
  private volatile IndexerResourceCache<SeiNodeDeployment> deployments;
  private volatile RecreatedResources<SeiNodeDeployment> recreated;

  /**
   * @param memory of deployments; dropped here once one is gone
   * @param assembly makes the pipeline once the caches are there
   * @param gate where reconciles get in
   */
  public SeiNodeDeploymentReconciler(
      PerObjectState<ResourceID> memory,
      Function<FleetCaches, Kernel<SeiNodeDeployment, ?, ?>> assembly,
      ReconcileGate gate) {
    this.memory = memory;
    this.assembly = assembly;
    this.gate = gate;
  }

  /** Every deployment that this process manages; none before the controller was registered. */
  public Stream<SeiNodeDeployment> deployments() {
    return deployments == null ? Stream.of() : deployments.list().filter(gate::admits);
  }

  @Override
  public List<EventSource<?, SeiNodeDeployment>> prepareEventSources(
      EventSourceContext<SeiNodeDeployment> context) {
    var caches = new FleetCaches(context, gate::admits);
    pipeline = assembly.apply(caches);
    deployments = context.getPrimaryCache();
    recreated = new RecreatedResources<>(deployments);
    var sources = new ArrayList<EventSource<?, SeiNodeDeployment>>(caches.eventSources());
    sources.add(recreated);
    return sources;
  }

  @Override
  public UpdateControl<SeiNodeDeployment> reconcile(
      SeiNodeDeployment deployment, Context<SeiNodeDeployment> context) {
    if (!gate.admits(deployment)) {
      return UpdateControl.noUpdate();
    }
    ResourceID id = ResourceID.fromResource(deployment);
    if (context.isPrimaryResourceDeleted()) {
      memory.drop(id);
      if (!recreated.check(deployment, context)) {
        pipeline.gone(deployment);
      }
      return UpdateControl.noUpdate();
    }
    return gate.run(() -> pipeline.run(deployment, context), () -> deployments.get(id).isEmpty());
  }
}
