package io.sei.operator.soak;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.Rollout.RolloutNode;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.testkit.FaultyApiServer.Deletion;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Nodes of the fleet that are down when the operator takes a healthy one: those that it has taken,
 * and those that are not available for another cause. Only pods count, not the operator's records:
 * a node is down from the moment it has no Ready pod until it has one.
 *
 * <p>Nodes that are down without the operator count as they were when the node was admitted, which
 * is when the operator decides; later failures do not count.
 */
final class Disruptions {

  /** The operator reads the clock, in whole seconds, before it looks at a node. */
  private static final Duration GLANCE = Duration.ofSeconds(1);

  /**
   * Longer than watches are silent at most. For as long the operator may not know that a new node
   * was Ready for the first time, and takes it for one that serves no requests.
   */
  private static final Duration UNNOTICED = Duration.ofSeconds(45);

  private record Taken(String node, String pod) {}

  private record Serving(String claim, Instant since) {}

  private final SoakWorld world;
  private final Map<String, Taken> taken = new TreeMap<>();
  private final Map<String, Instant> turns = new TreeMap<>();
  private final Map<String, Serving> serving = new TreeMap<>();
  private final Map<String, Instant> downSince = new TreeMap<>();
  private final Map<String, Duration> served = new TreeMap<>();

  Disruptions(SoakWorld world) {
    this.world = world;
    String namespace = world.namespace();
    world
        .client()
        .pods()
        .inNamespace(namespace)
        .inform(new Each<>(this::podChanged, this::podGone));
    world
        .client()
        .resources(SeiNodeDeployment.class)
        .inNamespace(namespace)
        .inform(new Each<>(fleet -> turnsChanged(rollout(fleet)), fleet -> {}));
  }

  /**
   * Returns the nodes that are down once this deletion is carried out; empty if it takes no healthy
   * node down.
   */
  synchronized List<String> with(Deletion deletion) {
    String doomed = deletion.path().replaceAll(".*/(fleet-\\d+)-0$", "$1");
    Pod pod = world.pod(doomed);
    SeiNode node = world.node(doomed);
    if (pod == null || node == null || !pod.getMetadata().getUid().equals(deletion.uid())) {
      return List.of();
    }
    Optional<Instant> since = readySince(pod);
    Optional<Instant> turn = turn(doomed, pod);
    // What became Ready after the operator had looked goes with those that were down anyway.
    if (since.isEmpty() || turn.filter(at -> !since.get().plus(GLANCE).isBefore(at)).isPresent()) {
      return List.of();
    }
    taken.keySet().removeIf(name -> !name.equals(doomed) && !isDown(name));
    taken.put(doomed, new Taken(node.getMetadata().getUid(), deletion.uid()));
    return Stream.concat(
            taken.entrySet().stream()
                .map(
                    entry ->
                        "%s since the deletion of %s"
                            .formatted(entry.getKey(), entry.getValue().pod())),
            downBefore(turn.orElseGet(Instant::now))
                .filter(name -> !taken.containsKey(name))
                .map(name -> "%s by itself since %s".formatted(name, downSince.get(name))))
        .toList();
  }

  private Optional<Instant> turn(String name, Pod pod) {
    Instant created = Instant.parse(pod.getMetadata().getCreationTimestamp());
    return Optional.ofNullable(turns.get(name))
        .filter(at -> !at.isBefore(created))
        .or(() -> turn(rollout(world.fleet()), name));
  }

  /** Nodes that are missed, were not available at that moment, and have not been since. */
  private Stream<String> downBefore(Instant turn) {
    int replicas = world.fleet().getSpec().replicas();
    return world.nodes().stream()
        .filter(node -> isMissed(node, replicas))
        .filter(node -> hasServed(node, turn))
        .map(node -> node.getMetadata().getName())
        .filter(name -> downSince.containsKey(name))
        .filter(name -> downSince.get(name).plus(GLANCE).isBefore(turn))
        .filter(
            name ->
                Optional.ofNullable(world.pod(name)).flatMap(Disruptions::readySince).isEmpty());
  }

  /** A node that is scaled away, deleted, paused or held is down because a person wants it so. */
  private static boolean isMissed(SeiNode node, int replicas) {
    String name = node.getMetadata().getName();
    return name.startsWith(SoakWorld.FLEET)
        && Integer.parseInt(name.replaceAll(".*-", "")) < replicas
        && !node.isMarkedForDeletion()
        && !Boolean.TRUE.equals(node.getSpec().paused())
        && node.getSpec().holding().isEmpty();
  }

  /**
   * A node that was never Ready since its volume is new holds up no rollout, since it may sync for
   * a day. That the operator has not seen it Ready is believed for as long as it may be so.
   */
  private boolean hasServed(SeiNode node, Instant turn) {
    PersistentVolumeClaim claim = world.claim(node.getMetadata().getName());
    Duration time = claim == null ? null : served.get(claim.getMetadata().getUid());
    Instant noticed = node.getStatus() == null ? null : node.getStatus().syncedAt();
    return time != null
        && (time.compareTo(UNNOTICED) > 0 || noticed != null && noticed.isBefore(turn));
  }

  /** A node that was scaled away or deleted since is down because of people. */
  private boolean isDown(String name) {
    Taken before = taken.get(name);
    SeiNode node = world.node(name);
    Pod pod = world.pod(name);
    boolean same =
        node != null
            && node.getMetadata().getUid().equals(before.node())
            && !node.isMarkedForDeletion();
    boolean survived =
        pod != null
            && pod.getMetadata().getUid().equals(before.pod())
            && !pod.isMarkedForDeletion();
    return same && !survived && (pod == null || readySince(pod).isEmpty()) && !hasNewVolume(name);
  }

  /**
   * Returns whether a node has a volume on which it was never Ready, as after a loss of data that a
   * person accepted. It holds up no rollout either, since it may sync for a day.
   */
  private boolean hasNewVolume(String name) {
    PersistentVolumeClaim claim = world.claim(name);
    return claim == null || !served.containsKey(claim.getMetadata().getUid());
  }

  private synchronized void podChanged(Pod pod) {
    String name = pod.getMetadata().getName().replaceAll("-0$", "");
    Taken before = taken.get(name);
    if (before != null
        && !before.pod().equals(pod.getMetadata().getUid())
        && readySince(pod).isPresent()) {
      taken.remove(name);
    }
    if (readySince(pod).isPresent()) {
      downSince.remove(name);
      serving.computeIfAbsent(name, this::serving);
    } else {
      down(name);
    }
  }

  private synchronized void podGone(Pod pod) {
    down(pod.getMetadata().getName().replaceAll("-0$", ""));
  }

  private void down(String name) {
    downSince.putIfAbsent(name, Instant.now());
    Serving before = serving.remove(name);
    if (before != null) {
      served.merge(
          before.claim(),
          Duration.between(before.since(), Instant.now()),
          BinaryOperator.maxBy(Comparator.naturalOrder()));
    }
  }

  private Serving serving(String name) {
    PersistentVolumeClaim claim = world.claim(name);
    return claim == null ? null : new Serving(claim.getMetadata().getUid(), Instant.now());
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
    SeiNodeDeploymentStatus status = fleet.getStatus();
    if (status == null) {
      return null;
    }
    return status.rollout() == null ? status.pausedRollout() : status.rollout();
  }

  private static Optional<Instant> turn(Rollout rollout, String name) {
    return Optional.ofNullable(rollout)
        .flatMap(admitting -> admitting.node(name))
        .map(RolloutNode::admittedAt);
  }

  private static Optional<Instant> readySince(Pod pod) {
    return pod.isMarkedForDeletion() ? Optional.empty() : PodFacts.readySince(pod);
  }

  private record Each<T extends HasMetadata>(Consumer<T> changed, Consumer<T> gone)
      implements ResourceEventHandler<T> {

    @Override
    public void onAdd(T object) {
      changed.accept(object);
    }

    @Override
    public void onUpdate(T before, T object) {
      changed.accept(object);
    }

    @Override
    public void onDelete(T object, boolean isLastStateUnknown) {
      gone.accept(object);
    }
  }
}
