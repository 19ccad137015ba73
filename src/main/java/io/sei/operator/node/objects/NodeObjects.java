package io.sei.operator.node.objects;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Service;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.Intent;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.ServiceRenderer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * All objects of a node, kept as rendered.
 *
 * @param service renders the headless Service
 * @param ports decides which ports the Service leaves out
 * @param proxyConfig renders the configuration of the proxy in front of the sidecar
 */
public record NodeObjects(
    StatefulSetSync statefulSets,
    OwnedObjectSync owned,
    DataClaim dataClaim,
    ServiceRenderer service,
    ServicePorts ports,
    Function<SeiNode, ConfigMap> proxyConfig) {

  /** Settles whose the StatefulSet with the node's name is, where there may be one. */
  public Next identify(NodePass pass) {
    boolean nothingYet =
        pass.stored().statefulSet() == null
            && pass.stored().replacing() == null
            && pass.view().statefulSet().isEmpty()
            && !pass.view().isRunning()
            && !pass.view().inheritsVolume();
    if (nothingYet) {
      return Next.goOn();
    }
    Next identified = next(statefulSets.identify(pass));
    if (!identified.goesOn()) {
      return identified;
    }
    if (pass.tracked().isEmpty() && pass.view().statefulSet().isPresent()) {
      pass.track(pass.view().statefulSet().get());
      return Next.writeFirst("stateful-set");
    }
    return Next.goOn();
  }

  /** The fields of the node's spec that were set, by whomever, and that this operator lacks. */
  public List<String> unservedFields(NodePass pass) {
    return statefulSets.unservedFields(pass);
  }

  /** Returns whether there is a pod of the node that waits for a StatefulSet to adopt it. */
  public boolean hasOrphanedPod(NodePass pass) {
    return statefulSets.hasOrphanedPod(pass);
  }

  /** Returns whether there are objects, or should be as the node has run. */
  public static boolean areExpected(NodePass pass) {
    return pass.tracked().isPresent() || pass.view().isRunning();
  }

  /** Keeps everything in sync, and makes what is gone. */
  public void sync(NodePass pass) {
    pass.refusals().run(() -> dataClaim.syncOwnership(pass));
    pass.refusals().run(() -> pass.take(next(syncProxyConfig(pass))));
    pass.refusals().run(() -> pass.take(next(syncStatefulSet(pass))));
    pass.refusals().run(() -> pass.take(next(syncService(pass))));
  }

  /** Applies the StatefulSet. */
  public TaskOutcome syncStatefulSet(NodePass pass) {
    return statefulSets.sync(pass);
  }

  /** Applies the Service. */
  public TaskOutcome syncService(NodePass pass) {
    SeiNode node = pass.node();
    Optional<Service> live = owned.caches().service(node);
    Set<Integer> leftOut = ports.leftOut(pass, live);
    return owned.sync(pass, Intent.of(node, leftOut), () -> service.render(node, leftOut), live);
  }

  /** Applies the configuration of the proxy. */
  public TaskOutcome syncProxyConfig(NodePass pass) {
    return owned.sync(pass, proxyConfig, NodeCaches::proxyConfig);
  }

  private static Next next(TaskOutcome outcome) {
    return switch (outcome) {
      case TaskOutcome.Done _ -> Next.goOn();
      case TaskOutcome.Wait wait -> Next.rest(wait.recheck());
      case TaskOutcome.WriteFirst _ -> Next.writeFirst("stateful-set");
      case TaskOutcome.Captured _,
          TaskOutcome.Rewind _,
          TaskOutcome.Retry _,
          TaskOutcome.Repeat _,
          TaskOutcome.Fail _ ->
          Next.rest();
    };
  }
}
