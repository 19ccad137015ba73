package io.sei.operator.node.resources;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Service;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.Intent;
import io.sei.operator.node.model.NodeCaches;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.ServiceRenderer;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * All objects of a node, kept as rendered.
 *
 * @param service renders the headless Service
 * @param grpc decides whether the Service lists the gRPC port
 * @param proxyConfig renders the configuration of the proxy in front of the sidecar
 */
public record NodeObjects(
    StatefulSetSync statefulSets,
    OwnedObjectSync owned,
    DataClaim dataClaim,
    ServiceRenderer service,
    GrpcPort grpc,
    Function<SeiNode, ConfigMap> proxyConfig) {

  /** Settles whose the StatefulSet with the node's name is, where there may be one. */
  public Next identify(NodeReconcile reconcile) {
    boolean nothingYet =
        reconcile.status().statefulSet() == null
            && reconcile.status().replacing() == null
            && reconcile.snapshot().statefulSet().isEmpty()
            && !reconcile.snapshot().isRunning()
            && !reconcile.snapshot().inheritsVolume();
    if (nothingYet) {
      return Next.goOn();
    }
    Next identified = next(statefulSets.identify(reconcile));
    if (!identified.goesOn()) {
      return identified;
    }
    if (reconcile.status().statefulSet() == null
        && reconcile.snapshot().statefulSet().isPresent()) {
      reconcile.track(reconcile.snapshot().statefulSet().get());
      return Next.writeFirst("stateful-set");
    }
    return Next.goOn();
  }

  /** The fields of the node's spec that were set, by whomever, and that this operator lacks. */
  public List<String> unservedFields(NodeReconcile reconcile) {
    return statefulSets.unservedFields(reconcile);
  }

  /** Whether there is a pod of the node that waits for a StatefulSet to adopt it. */
  public boolean hasOrphanedPod(NodeReconcile reconcile) {
    return statefulSets.hasOrphanedPod(reconcile);
  }

  /** Whether there are objects, or should be as the node has run. */
  public static boolean areExpected(NodeReconcile reconcile) {
    return reconcile.status().statefulSet() != null || reconcile.snapshot().isRunning();
  }

  /** Keeps everything in sync, and makes what is gone. */
  public void sync(NodeReconcile reconcile) {
    reconcile.refusals().run(() -> dataClaim.syncOwnership(reconcile));
    reconcile.refusals().run(() -> reconcile.take(next(syncProxyConfig(reconcile))));
    reconcile.refusals().run(() -> reconcile.take(next(syncStatefulSet(reconcile))));
    reconcile.refusals().run(() -> reconcile.take(next(syncService(reconcile))));
  }

  /** Applies the StatefulSet. */
  public TaskOutcome syncStatefulSet(NodeReconcile reconcile) {
    return statefulSets.sync(reconcile);
  }

  /** Applies the Service. */
  public TaskOutcome syncService(NodeReconcile reconcile) {
    SeiNode node = reconcile.node();
    Optional<Service> live = owned.caches().service(node);
    boolean withGrpc = grpc.isListed(reconcile, live);
    return owned.sync(
        reconcile, Intent.of(node, withGrpc), () -> service.render(node, withGrpc), live);
  }

  /** Applies the configuration of the proxy. */
  public TaskOutcome syncProxyConfig(NodeReconcile reconcile) {
    return owned.sync(reconcile, proxyConfig, NodeCaches::proxyConfig);
  }

  private static Next next(TaskOutcome outcome) {
    return switch (outcome) {
      case TaskOutcome.Done _ -> Next.goOn();
      case TaskOutcome.Wait wait -> Next.rest(wait.recheck());
      case TaskOutcome.WriteFirst _ -> Next.writeFirst("stateful-set");
      case TaskOutcome.Captured _, TaskOutcome.Rewind _, TaskOutcome.Retry _, TaskOutcome.Fail _ ->
          Next.rest();
    };
  }
}
