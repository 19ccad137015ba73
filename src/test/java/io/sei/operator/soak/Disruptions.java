package io.sei.operator.soak;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.testkit.FaultyApiServer.Deletion;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Healthy nodes of the fleet that the operator has taken down. Who is down is told by pods alone,
 * not by what the operator has recorded of nodes: from the deletion of a Ready pod until the next
 * one is Ready.
 */
final class Disruptions {

  /** The operator reads the clock, in whole seconds, before it looks at a node. */
  private static final Duration GLANCE = Duration.ofSeconds(1);

  private record Taken(String node, String pod) {}

  private final SoakWorld world;
  private final Map<String, Taken> taken = new TreeMap<>();
  private final Map<String, Instant> turns = new TreeMap<>();

  Disruptions(SoakWorld world) {
    this.world = world;
    String namespace = world.namespace();
    world.client().pods().inNamespace(namespace).inform(new Each<>(this::podChanged));
    world
        .client()
        .resources(SeiNodeDeployment.class)
        .inNamespace(namespace)
        .inform(new Each<>(fleet -> turnsChanged(rollout(fleet))));
  }

  /** Who is down once this deletion is carried out; empty if it takes no healthy node down. */
  synchronized List<String> with(Deletion deletion) {
    String doomed = deletion.path().replaceAll(".*/(fleet-\\d+)-0$", "$1");
    Pod pod = pod(doomed);
    SeiNode node = node(doomed);
    if (pod == null || node == null || !pod.getMetadata().getUid().equals(deletion.uid())) {
      return List.of();
    }
    Optional<Instant> since = readySince(pod);
    if (since.isEmpty() || !wasHealthyWhenItsTurnCame(doomed, pod, since.get())) {
      return List.of();
    }
    taken.keySet().removeIf(name -> !name.equals(doomed) && !isDown(name));
    taken.put(doomed, new Taken(node.getMetadata().getUid(), deletion.uid()));
    return taken.entrySet().stream()
        .map(it -> "%s since the deletion of %s".formatted(it.getKey(), it.getValue().pod()))
        .toList();
  }

  /** What became Ready after the operator had looked goes with those that were down anyway. */
  private boolean wasHealthyWhenItsTurnCame(String name, Pod pod, Instant since) {
    Instant created = Instant.parse(pod.getMetadata().getCreationTimestamp());
    Optional<Instant> turn =
        Optional.ofNullable(turns.get(name))
            .filter(it -> !it.isBefore(created))
            .or(() -> turn(rollout(world.fleet()), name));
    return turn.map(since.plus(GLANCE)::isBefore).orElse(true);
  }

  /** A node that was scaled away or deleted since is down because of people. */
  private boolean isDown(String name) {
    Taken before = taken.get(name);
    SeiNode node = node(name);
    Pod pod = pod(name);
    boolean same =
        node != null
            && node.getMetadata().getUid().equals(before.node())
            && !node.isMarkedForDeletion();
    boolean survived =
        pod != null
            && pod.getMetadata().getUid().equals(before.pod())
            && !pod.isMarkedForDeletion();
    return same && !survived && (pod == null || readySince(pod).isEmpty());
  }

  private synchronized void podChanged(Pod pod) {
    String name = pod.getMetadata().getName().replaceAll("-0$", "");
    Taken before = taken.get(name);
    if (before != null
        && !before.pod().equals(pod.getMetadata().getUid())
        && readySince(pod).isPresent()) {
      taken.remove(name);
    }
  }

  private synchronized void turnsChanged(Rollout rollout) {
    turns.keySet().removeIf(name -> turn(rollout, name).isEmpty());
    if (rollout != null && rollout.nodes() != null) {
      for (RolloutNode node : rollout.nodes()) {
        turn(rollout, node.name()).ifPresent(at -> turns.putIfAbsent(node.name(), at));
      }
    }
  }

  private static Rollout rollout(SeiNodeDeployment fleet) {
    return fleet.getStatus() == null ? null : fleet.getStatus().rollout();
  }

  private static Optional<Instant> turn(Rollout rollout, String name) {
    return Optional.ofNullable(rollout).flatMap(it -> it.node(name)).map(RolloutNode::admittedAt);
  }

  private Pod pod(String node) {
    return SoakWorld.asked(
        () -> world.client().pods().inNamespace(world.namespace()).withName(node + "-0").get());
  }

  private SeiNode node(String name) {
    return SoakWorld.asked(
        () ->
            world
                .client()
                .resources(SeiNode.class)
                .inNamespace(world.namespace())
                .withName(name)
                .get());
  }

  private static Optional<Instant> readySince(Pod pod) {
    return pod.isMarkedForDeletion()
        ? Optional.empty()
        : pod.getStatus().getConditions().stream()
            .filter(it -> it.getType().equals("Ready") && it.getStatus().equals("True"))
            .map(PodCondition::getLastTransitionTime)
            .map(Instant::parse)
            .findFirst();
  }

  private record Each<T extends HasMetadata>(Consumer<T> consumer)
      implements ResourceEventHandler<T> {

    @Override
    public void onAdd(T object) {
      consumer.accept(object);
    }

    @Override
    public void onUpdate(T before, T object) {
      consumer.accept(object);
    }

    @Override
    public void onDelete(T object, boolean isLastStateUnknown) {
      // What is gone is asked for by name.
    }
  }
}
