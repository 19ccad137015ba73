package io.sei.operator.fleet;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.FleetView.Child;
import io.sei.operator.fleet.feature.FleetView.DisruptionSource;
import io.sei.operator.fleet.feature.ReadyConfirmation;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.Ownership;
import io.sei.operator.render.ChildRenderer;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Observes a deployment; never acts.
 *
 * @param sources what takes nodes down, in the order in which it may
 * @param leaving what announces that the Kubernetes node of this name is about to be drained
 * @param exitsSoon whether a task is about to end a node's seid
 */
public record FleetObserver(
    FleetCaches caches,
    KubeApi api,
    List<DisruptionSource> sources,
    Function<String, Optional<String>> leaving,
    Predicate<SeiNode> exitsSoon,
    ReadyConfirmation confirmation,
    Clock clock) {

  /**
   * Observes a deployment whose spec is valid. A watch may have reported nothing for a while, so
   * the pods of nodes in doubt are read live.
   *
   * @throws io.fabric8.kubernetes.client.KubernetesClientException if a pod cannot be read
   */
  public FleetView observe(SeiNodeDeployment deployment) {
    FleetView view = observeNodes(deployment);
    return withPods(view, view.inDoubt(), Map.of());
  }

  /** Observes only what the caches have, which can be done of an invalid spec as well. */
  public FleetView observeNodes(SeiNodeDeployment deployment) {
    NodeTemplate template = ChildRenderer.template(deployment);
    List<Child> children = children(deployment);
    return new FleetView(
        deployment,
        FleetView.statusOf(deployment),
        template,
        ChildRenderer.hash(deployment, template),
        children,
        caches.revisions(deployment),
        Map.of(),
        Map.of(),
        Map.of(),
        sources,
        exiting(children),
        confirmation,
        clock.instant().truncatedTo(ChronoUnit.SECONDS),
        new FleetView.Memo());
  }

  /**
   * The nodes whose seid a task is about to end; the fleet takes down no other beyond its budget.
   */
  private Set<String> exiting(List<Child> children) {
    return children.stream()
        .map(Child::node)
        .filter(exitsSoon)
        .map(node -> node.getMetadata().getName())
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Reads the pods of nodes that are Ready as far as is known, and the Kubernetes nodes under them,
   * before one is taken down.
   */
  public FleetView readLive(FleetView view) {
    Map<String, Pod> pods =
        api
            .list(
                Pod.class,
                view.deployment().getMetadata().getNamespace(),
                Map.of(Labels.NODE_DEPLOYMENT, view.deployment().getMetadata().getName()))
            .stream()
            .collect(Collectors.toMap(pod -> pod.getMetadata().getName(), pod -> pod));
    var announced = new HashMap<String, String>();
    for (SeiNode node : view.believedReady()) {
      Optional.ofNullable(pods.get(Names.pod(node)))
          .flatMap(PodFacts::nodeName)
          .flatMap(leaving)
          .ifPresent(words -> announced.put(node.getMetadata().getName(), words));
    }
    return withPods(view, view.believedReady(), pods).withLeaving(Map.copyOf(announced));
  }

  /** A pod that is not among these is read by its name: an adopted one may lack the label. */
  private FleetView withPods(FleetView view, List<SeiNode> nodes, Map<String, Pod> pods) {
    Map<String, Optional<Instant>> live = new HashMap<>(view.live());
    for (SeiNode node : nodes) {
      String pod = Names.pod(node);
      live.put(
          node.getMetadata().getName(),
          Optional.ofNullable(pods.get(pod))
              .or(() -> api.get(Pod.class, node.getMetadata().getNamespace(), pod))
              .filter(candidate -> !candidate.isMarkedForDeletion())
              .flatMap(PodFacts::readySince));
    }
    return view.withLive(Map.copyOf(live));
  }

  /**
   * Returns whether a node with one of the deployment's names is its own: by owner, or, as a
   * retained node has none, by label.
   */
  private static boolean isOwn(SeiNode node, SeiNodeDeployment deployment) {
    return switch (Ownership.of(node, deployment)) {
      case Ownership.Ours _ -> true;
      case Ownership.Unowned _ ->
          Labels.of(node, Labels.NODE_DEPLOYMENT)
              .equals(Optional.of(deployment.getMetadata().getName()));
      case Ownership.Foreign _ -> false;
    };
  }

  /**
   * A node whose spec cannot be read, with the spec that the template gives to it. That is what is
   * known of it, and enough for all that only describes it.
   */
  private static SeiNode described(
      SeiNodeDeployment deployment, Map.Entry<Integer, SeiNode> child) {
    SeiNode node = child.getValue();
    if (node.getSpec() != null) {
      return node;
    }
    SeiNode described =
        new ChildRenderer().render(deployment, child.getKey(), ChildRenderer.template(deployment));
    described.setMetadata(node.getMetadata());
    described.setStatus(node.getStatus());
    return described;
  }

  private List<Child> children(SeiNodeDeployment deployment) {
    SortedMap<Integer, SeiNode> children = new TreeMap<>();
    for (SeiNode node : caches.list(SeiNode.class, deployment)) {
      ChildRenderer.ordinal(deployment, node.getMetadata().getName())
          .ifPresent(ordinal -> children.put(ordinal, node));
    }
    // By name as well, since only that finds what this process has just written.
    for (int ordinal = 0; ordinal < deployment.getSpec().replicas(); ordinal++) {
      int wanted = ordinal;
      caches
          .get(SeiNode.class, deployment, ChildRenderer.name(deployment, ordinal))
          .ifPresent(node -> children.put(wanted, node));
    }
    return children.entrySet().stream()
        .filter(entry -> isOwn(entry.getValue(), deployment))
        .map(entry -> new Child(described(deployment, entry), entry.getKey()))
        .toList();
  }
}
