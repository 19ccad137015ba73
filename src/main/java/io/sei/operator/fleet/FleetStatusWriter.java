package io.sei.operator.fleet;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.fleet.model.FleetReconcile;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.fleet.status.FleetEvents;
import io.sei.operator.fleet.status.FleetStatus;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.kube.StatusWrites;
import io.sei.operator.observability.PlanMetrics;
import java.util.Optional;

/** Writes a deployment's status, and records as events what changed. */
public final class FleetStatusWriter {

  private final EventRecorder events;
  private final PlanMetrics metrics;
  private final StatusWrites<SeiNodeDeploymentStatus> writes = new StatusWrites<>();

  public FleetStatusWriter(EventRecorder events, PlanMetrics metrics) {
    this.events = events;
    this.metrics = metrics;
  }

  /** Writes what a reconcile came to, as the other method does, and measures its plan. */
  Optional<SeiNodeDeployment> write(FleetReconcile reconcile, Context<SeiNodeDeployment> context) {
    Optional<SeiNodeDeployment> written =
        write(reconcile.deployment(), FleetStatus.of(reconcile), context);
    metrics.observe(
        reconcile.snapshot().status().plan(), reconcile.plan(), reconcile.snapshot().now());
    return written;
  }

  /**
   * Writes a status, if it differs from the deployment's.
   *
   * @return the deployment as it was written; empty if there was nothing to write
   * @throws io.fabric8.kubernetes.client.KubernetesClientException 409 if the deployment changed
   *     meanwhile
   */
  public Optional<SeiNodeDeployment> write(
      SeiNodeDeployment deployment,
      SeiNodeDeploymentStatus reached,
      Context<SeiNodeDeployment> context) {
    SeiNodeDeploymentStatus before = FleetSnapshot.statusOf(deployment);
    SeiNodeDeploymentStatus after =
        FleetStatus.concluded(reached, deployment.getMetadata().getGeneration());
    return writes.write(
        deployment,
        after,
        events,
        context,
        () -> FleetEvents.between(before, after).forEach(it -> events.record(deployment, it)));
  }

  /** Forgets a deployment that is gone. */
  void forget(ResourceID deployment) {
    writes.forget(deployment);
  }
}
