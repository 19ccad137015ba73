package io.sei.operator.fleet;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.FleetPhase;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.NodeSummary;
import io.sei.operator.api.v1alpha1.PerPodService;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.fleet.model.FleetNode;
import io.sei.operator.fleet.model.FleetReconcile;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.fleet.status.FleetEvents;
import io.sei.operator.kube.EventRecorder;
import io.sei.operator.kube.EventType;
import io.sei.operator.kube.OversizedObject;
import io.sei.operator.kube.StatusPatch;
import io.sei.operator.kube.StatusWrites;
import io.sei.operator.observability.PlanMetrics;
import io.sei.operator.render.ServiceUrls;
import java.util.List;

/** Writes a deployment's status, once per reconcile, and records as events what changed. */
public final class FleetStatusWriter {

  private final EventRecorder events;
  private final PlanMetrics metrics;
  private final StatusWrites<SeiNodeDeploymentStatus> writes = new StatusWrites<>();

  public FleetStatusWriter(EventRecorder events, PlanMetrics metrics) {
    this.events = events;
    this.metrics = metrics;
  }

  /** Writes what a reconcile came to, as {@link #write} does, and measures its plan. */
  void write(FleetReconcile reconcile, Context<SeiNodeDeployment> context) {
    write(reconcile.deployment(), reconcile.status(), context);
    metrics.observe(
        reconcile.snapshot().status().plan(), reconcile.plan(), reconcile.snapshot().now());
  }

  /**
   * Writes a status, if it differs from the deployment's.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException 409 if the deployment changed
   *     meanwhile
   */
  public void write(
      SeiNodeDeployment deployment,
      SeiNodeDeploymentStatus reached,
      Context<SeiNodeDeployment> context) {
    writes.settle(deployment);
    SeiNodeDeploymentStatus after =
        reached.withObservedGeneration(deployment.getMetadata().getGeneration());
    if (after.equals(deployment.getStatus())) {
      return;
    }
    writes.write(
        deployment,
        after,
        () ->
            OversizedObject.write(
                deployment, events, () -> StatusPatch.write(deployment, after, context)),
        () -> record(deployment, after));
  }

  /** Forgets a deployment that is gone. */
  void forget(ResourceID deployment) {
    writes.forget(deployment);
  }

  private void record(SeiNodeDeployment deployment, SeiNodeDeploymentStatus after) {
    FleetEvents.between(FleetSnapshot.statusOf(deployment), after)
        .forEach(
            event ->
                events.record(
                    deployment,
                    event.warning() ? EventType.WARNING : EventType.NORMAL,
                    event.reason(),
                    event.message()));
  }

  /** Counts the nodes into the status; conditions are derived from the counts. */
  public static void summarize(FleetReconcile reconcile) {
    FleetSnapshot snapshot = reconcile.snapshot();
    List<FleetNode> fleet = snapshot.fleet();
    List<PerPodService> services =
        snapshot.children().stream()
            .filter(child -> child.ordinal() < snapshot.replicas())
            .map(child -> ServiceUrls.perPodService(child.node()))
            .toList();
    int updated = (int) fleet.stream().filter(node -> node.runs(snapshot.templateHash())).count();
    reconcile.update(
        status ->
            status.with(
                it ->
                    it.replicas(fleet.size())
                        .readyReplicas((int) fleet.stream().filter(FleetNode::isReady).count())
                        .updatedReplicas(updated)
                        .updated(updated + "/" + snapshot.replicas())
                        .perPodServices(services.isEmpty() ? null : services)
                        .endpoints(ServiceUrls.ofFleet(status.internalService(), services))
                        .nodes(fleet.stream().map(FleetStatusWriter::summary).toList())
                        .incumbentNodes(
                            snapshot.children().stream()
                                .map(child -> child.node().getMetadata().getName())
                                .sorted()
                                .toList())));
  }

  private static NodeSummary summary(FleetNode node) {
    String reason =
        node.stall() != null ? node.stall() : node.isReady() ? null : node.readyReason();
    return new NodeSummary(
        node.name(),
        node.phase(),
        node.image(),
        node.isReady(),
        node.paused() ? "NodePaused" : reason);
  }

  /** The phase, in the order in which the Go operator decides it. */
  public static FleetPhase phase(FleetReconcile reconcile) {
    FleetSnapshot snapshot = reconcile.snapshot();
    List<FleetNode> fleet = snapshot.fleet();
    if (snapshot.isHeld()) {
      return FleetPhase.PAUSED;
    }
    if (reconcile.status().rollout() != null) {
      return FleetPhase.UPGRADING;
    }
    if (fleet.isEmpty()) {
      return FleetPhase.PENDING;
    }
    if (reconcile.status().failedTemplateHash() != null) {
      return FleetPhase.DEGRADED;
    }
    if (fleet.size() == snapshot.replicas() && fleet.stream().allMatch(FleetNode::isReady)) {
      return FleetPhase.READY;
    }
    if (fleet.stream().allMatch(node -> node.phase() == NodePhase.FAILED)) {
      return FleetPhase.FAILED;
    }
    boolean initializing =
        fleet.stream()
            .anyMatch(
                node -> node.phase() != NodePhase.RUNNING && node.phase() != NodePhase.FAILED);
    return initializing ? FleetPhase.INITIALIZING : FleetPhase.DEGRADED;
  }
}
