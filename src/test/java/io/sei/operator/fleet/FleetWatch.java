package io.sei.operator.fleet;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.render.Labels;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Every status a fleet and its nodes have had since this was made, so that no moment is missed. */
public final class FleetWatch implements AutoCloseable {

  private final List<SeiNodeDeploymentStatus> statuses = new CopyOnWriteArrayList<>();
  private final Map<String, Boolean> ready = new HashMap<>();
  private final List<Set<String>> unready = new CopyOnWriteArrayList<>();
  private final Watch deployments;
  private final Watch nodes;

  /** Watches the one fleet of a namespace. */
  public FleetWatch(KubernetesClient client, String namespace) {
    deployments =
        client
            .resources(SeiNodeDeployment.class)
            .inNamespace(namespace)
            .watch(new Each<>(deployment -> remember(deployment.getStatus())));
    nodes =
        client.resources(SeiNode.class).inNamespace(namespace).watch(new Each<>(this::nodeChanged));
  }

  /** Watches a fleet among others. */
  FleetWatch(KubernetesClient client, SeiNodeDeployment fleet) {
    deployments =
        client.resource(fleet).watch(new Each<>(deployment -> remember(deployment.getStatus())));
    nodes =
        client
            .resources(SeiNode.class)
            .inNamespace(fleet.getMetadata().getNamespace())
            .withLabel(Labels.NODE_DEPLOYMENT, fleet.getMetadata().getName())
            .watch(new Each<>(this::nodeChanged));
  }

  private void remember(SeiNodeDeploymentStatus status) {
    if (status != null) {
      statuses.add(status);
    }
  }

  private synchronized void nodeChanged(SeiNode node) {
    boolean isReady =
        node.getStatus() != null
            && Conditions.isTrue(node.getStatus().conditions(), NodeConditionType.READY);
    ready.put(node.getMetadata().getName(), isReady);
    unready.add(
        ready.entrySet().stream()
            .filter(entry -> !entry.getValue())
            .map(Map.Entry::getKey)
            .collect(Collectors.toSet()));
  }

  /** The largest set of nodes that were not Ready at the same moment. */
  public Set<String> mostUnready() {
    return unready.stream().max(Comparator.comparingInt(Set::size)).orElse(Set.of());
  }

  public List<SeiNodeDeploymentStatus> statuses() {
    return statuses;
  }

  /** The rollouts there were, each as it was written last. */
  public List<Rollout> rollouts() {
    return statuses.stream()
        .map(SeiNodeDeploymentStatus::rollout)
        .filter(Objects::nonNull)
        .toList();
  }

  /** Every moment at which a rollout is said to have begun. */
  public Set<Instant> startedAt() {
    return rollouts().stream().map(Rollout::startedAt).collect(Collectors.toSet());
  }

  /** Returns the numbers of admitted nodes, one for each change. */
  public List<Long> admissions() {
    return rollouts().stream()
        .map(
            rollout ->
                rollout.nodes().stream().map(RolloutNode::admittedAt).filter(Objects::nonNull))
        .map(admitted -> admitted.count())
        .distinct()
        .toList();
  }

  @Override
  public void close() {
    deployments.close();
    nodes.close();
  }

  private record Each<T extends HasMetadata>(Consumer<T> consumer) implements Watcher<T> {

    @Override
    public void eventReceived(Action action, T object) {
      if (action == Action.ADDED || action == Action.MODIFIED) {
        consumer.accept(object);
      }
    }

    @Override
    public void onClose(WatcherException cause) {}
  }
}
