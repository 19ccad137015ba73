package io.sei.operator.node;

import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.ReconcileGate;
import io.sei.operator.kube.ReconcileTrigger;
import io.sei.operator.kube.RecreatedResources;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.reconcile.Kernel;
import io.sei.operator.render.Labels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** The framework's side of the SeiNode controller: watches, wake-ups and errors. */
@ControllerConfiguration(name = SeiNodeReconciler.NAME)
public final class SeiNodeReconciler implements Reconciler<SeiNode> {

  /**
   * Name of the controller, of its field manager and of its events' source. The Go operator applies
   * under it too, so that what only the other renders goes.
   */
  public static final String NAME = "seinode-controller";

  private final Function<NodeCaches, Kernel<SeiNode, ?, ?>> assembly;
  private final ReconcileTrigger<SeiNode> wakes;
  private final PerObjectState<ResourceID> memory;
  private final ReconcileGate gate;
  private final StartupThrottle startup;
  private volatile NodeCaches caches;
  private volatile Kernel<SeiNode, ?, ?> pipeline;
  private volatile IndexerResourceCache<SeiNode> nodes;
  private volatile RecreatedResources<SeiNode> recreated;

  /**
   * @param wakes what wakes nodes beside the watches of what they own
   * @param memory of nodes; dropped here once one is gone
   * @param assembly makes the pipeline once the caches are there
   * @param gate where reconciles get in
   */
  public SeiNodeReconciler(
      ReconcileTrigger<SeiNode> wakes,
      PerObjectState<ResourceID> memory,
      Function<NodeCaches, Kernel<SeiNode, ?, ?>> assembly,
      ReconcileGate gate) {
    this.wakes = wakes;
    this.memory = memory;
    this.assembly = assembly;
    this.gate = gate;
    this.startup = new StartupThrottle(memory);
  }

  /** Every node that this process manages; none before the controller was registered. */
  public Stream<SeiNode> nodes() {
    return nodes == null ? Stream.of() : nodes.list().filter(gate::admits);
  }

  /** Returns whether the pod of a node is Ready. */
  public boolean hasReadyPod(SeiNode node) {
    return caches.pod(node).filter(PodFacts::isReady).isPresent();
  }

  @Override
  public List<EventSource<?, SeiNode>> prepareEventSources(EventSourceContext<SeiNode> context) {
    caches = new NodeCaches(context, gate::admits, wakes, memory);
    pipeline = assembly.apply(caches);
    nodes = context.getPrimaryCache();
    var sources = new ArrayList<EventSource<?, SeiNode>>(caches.eventSources());
    recreated = new RecreatedResources<>(nodes);
    sources.add(recreated);
    return sources;
  }

  /**
   * Returns whether an update of a node concerns its controller. Its labels concern the nodes that
   * have it among their peers.
   */
  public boolean concerns(SeiNode now, SeiNode before) {
    if (caches != null && !selectedBy(now).equals(selectedBy(before))) {
      caches.wakeSeekers(before, Optional.of(now));
    }
    return ReconcileGate.concerns(now, before);
  }

  /** The labels that peers are selected by; that of a revision changes with each rollout. */
  private static Map<String, String> selectedBy(SeiNode node) {
    var labels = new HashMap<String, String>();
    if (node.getMetadata().getLabels() != null) {
      labels.putAll(node.getMetadata().getLabels());
    }
    labels.remove(Labels.REVISION);
    return labels;
  }

  @Override
  public UpdateControl<SeiNode> reconcile(SeiNode node, Context<SeiNode> context) {
    if (!gate.admits(node)) {
      return UpdateControl.noUpdate();
    }
    ResourceID id = ResourceID.fromResource(node);
    if (context.isPrimaryResourceDeleted()) {
      memory.drop(id);
      caches.wakeSeekers(node, Optional.empty());
      if (!recreated.check(node, context)) {
        pipeline.gone(node);
      }
      return UpdateControl.noUpdate();
    }
    return gate.run(
        () -> startup.throttle(node, caches.pod(node), () -> pipeline.run(node, context)),
        () -> nodes.get(id).isEmpty());
  }
}
