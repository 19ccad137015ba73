package io.sei.operator.node.feature;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Decides which updates of a watched object need a reconcile. A pod that starts is updated up to
 * ten times, and the counters of a StatefulSet follow its pod; most of that changes no decision.
 * The caches hold every update.
 */
final class UpdatePredicate {

  /** A container that has yet to start, without a fault. */
  private static final Set<String> STARTING = Set.of("PodInitializing", "ContainerCreating");

  /** Condition since Kubernetes 1.37 that no pod uses a claim, which is known from the pods. */
  private static final String UNUSED = "Unused";

  private UpdatePredicate() {}

  /** Returns whether a pod's progress, health, identity or placement differs. */
  static boolean of(Pod before, Pod after) {
    if (isTerminating(before) && isTerminating(after) && !Labels.isOfBootstrap(after)) {
      return !isAllButGone(after.getMetadata())
          && !identity(before.getMetadata()).equals(identity(after.getMetadata()));
    }
    return !digest(before).equals(digest(after)) || isResized(before, after);
  }

  /** A pod that starts is said to have its resources as well, which decides nothing. */
  private static boolean isResized(Pod before, Pod after) {
    Long generation = after.getMetadata().getGeneration();
    return generation != null && generation > 1 && !resources(before).equals(resources(after));
  }

  /** Returns whether a pod begins to be deleted. */
  static boolean isDeletion(Pod before, Pod after) {
    return !isTerminating(before) && isTerminating(after);
  }

  /** Returns whether a pod goes that has been on its way, to be followed by another at once. */
  static boolean isExpectedEnd(Pod deleted) {
    return isTerminating(deleted) && !Labels.isOfBootstrap(deleted);
  }

  /**
   * Returns whether a StatefulSet differs in more than its counters. A new spec counts once the
   * StatefulSet controller has observed it, with what was applied together with it, and decides
   * nothing before.
   */
  static boolean of(StatefulSet before, StatefulSet after) {
    ObjectMeta now = after.getMetadata();
    boolean isUnobservedSpec =
        Objects.equals(before.getMetadata().getUid(), now.getUid())
            && !Objects.equals(before.getMetadata().getGeneration(), now.getGeneration())
            && !Objects.equals(observed(after), now.getGeneration())
            && now.getDeletionTimestamp() == null;
    return !isUnobservedSpec && !digest(before).equals(digest(after));
  }

  /** Returns whether a claim differs in more than in whether a pod uses it. */
  static boolean of(PersistentVolumeClaim before, PersistentVolumeClaim after) {
    return !digest(before).equals(digest(after));
  }

  private static boolean isTerminating(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() != null;
  }

  private static Long observed(StatefulSet statefulSet) {
    return statefulSet.getStatus() == null ? null : statefulSet.getStatus().getObservedGeneration();
  }

  /** The API server takes the grace away first, and then the object. */
  private static boolean isAllButGone(ObjectMeta meta) {
    return Long.valueOf(0).equals(meta.getDeletionGracePeriodSeconds())
        && meta.getFinalizers().isEmpty();
  }

  private static List<Object> digest(StatefulSet statefulSet) {
    List<Object> digest = identity(statefulSet.getMetadata());
    StatefulSetStatus status = statefulSet.getStatus();
    digest.add(observed(statefulSet));
    digest.add(status == null ? null : status.getUpdateRevision());
    return digest;
  }

  private static List<Object> digest(PersistentVolumeClaim claim) {
    List<Object> digest = identity(claim.getMetadata());
    digest.add(claim.getSpec());
    if (claim.getStatus() != null) {
      digest.add(
          new PersistentVolumeClaimStatusBuilder(claim.getStatus())
              .removeMatchingFromConditions(builder -> builder.getType().equals(UNUSED))
              .build());
    }
    return digest;
  }

  private static List<Object> identity(ObjectMeta meta) {
    return new ArrayList<>(
        Arrays.asList(
            meta.getUid(),
            meta.getLabels(),
            meta.getAnnotations(),
            meta.getOwnerReferences(),
            meta.getFinalizers(),
            meta.getDeletionTimestamp()));
  }

  private static List<Object> digest(Pod pod) {
    List<Object> digest = identity(pod.getMetadata());
    PodStatus status = pod.getStatus();
    if (status == null) {
      return digest;
    }
    digest.addAll(Arrays.asList(status.getPhase(), status.getReason(), status.getMessage()));
    status.getConditions().forEach(condition -> digest.addAll(digest(condition)));
    status.getInitContainerStatuses().stream()
        .filter(container -> !hasSucceeded(container))
        .forEach(container -> digest.addAll(digest(container)));
    status.getContainerStatuses().forEach(container -> digest.addAll(digest(container)));
    digest.add(pulled(status));
    return digest;
  }

  private static List<Object> digest(PodCondition condition) {
    return switch (condition.getType()) {
      case "Ready", "ContainersReady" ->
          condition.getStatus().equals("False")
              ? List.of()
              : List.of(condition.getType(), condition.getStatus());
      case "PodScheduled", "DisruptionTarget" ->
          condition.getStatus().equals("True") && condition.getType().equals("PodScheduled")
              ? List.of()
              : Arrays.asList(condition.getType(), condition.getReason(), condition.getMessage());
      case "PodResizePending", "PodResizeInProgress" ->
          Arrays.asList(
              condition.getType(),
              condition.getStatus(),
              condition.getReason(),
              condition.getMessage());
      default -> List.of();
    };
  }

  /** Returns the failure or the end of a container. */
  private static List<Object> digest(ContainerStatus container) {
    var digest = new ArrayList<Object>();
    ContainerState state = container.getState();
    if (state != null && state.getWaiting() != null && !isStarting(state.getWaiting())) {
      digest.add(state.getWaiting());
    }
    if (state != null && state.getTerminated() != null) {
      digest.add(state.getTerminated());
    }
    if (container.getLastState() != null && container.getLastState().getTerminated() != null) {
      digest.add(container.getLastState().getTerminated());
    }
    if (!digest.isEmpty()) {
      digest.add(container.getName());
    }
    return digest;
  }

  private static boolean isStarting(ContainerStateWaiting waiting) {
    return waiting.getReason() == null || STARTING.contains(waiting.getReason());
  }

  private static boolean hasSucceeded(ContainerStatus container) {
    return Optional.ofNullable(container.getState())
        .map(ContainerState::getTerminated)
        .filter(end -> end.getExitCode() == 0)
        .isPresent();
  }

  private static List<ResourceRequirements> resources(Pod pod) {
    return Stream.ofNullable(pod.getStatus())
        .flatMap(
            status -> Stream.of(status.getContainerStatuses(), status.getInitContainerStatuses()))
        .flatMap(List::stream)
        .map(ContainerStatus::getResources)
        .toList();
  }

  /** The images of seid and its sidecar once the kubelet has both; one alone decides nothing. */
  private static List<String> pulled(PodStatus status) {
    List<String> ids =
        Stream.concat(
                status.getContainerStatuses().stream(), status.getInitContainerStatuses().stream())
            .filter(container -> Set.of(Names.SEID, Names.SIDECAR).contains(container.getName()))
            .map(ContainerStatus::getImageID)
            .filter(id -> id != null && !id.isEmpty())
            .toList();
    return ids.size() == 2 ? ids : List.of();
  }
}
