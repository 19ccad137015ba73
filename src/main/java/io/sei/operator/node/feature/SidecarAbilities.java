package io.sei.operator.node.feature;

import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SidecarStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.render.Names;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The types of tasks that a node's sidecar was seen not to know. No sidecar tells its version, so
 * this is kept on the status for as long as the image stays the same, and not asked again.
 */
public final class SidecarAbilities {

  private SidecarAbilities() {}

  /**
   * Returns whether the sidecar of the node's pod may be asked for a type: not where it is known to
   * refuse it. What is not known may be tried.
   */
  public static boolean can(NodeView view, String type) {
    SidecarStatus known = view.stored().sidecar();
    return known == null
        || !types(known).contains(type)
        || view.sidecarPod().filter(pod -> isOf(known, pod)).isEmpty();
  }

  /** Notes that the sidecar of the node's pod does not know a type. */
  public static void addLack(NodePass pass, String type) {
    pass.view().sidecarPod().ifPresent(pod -> addLack(pass, pod, type));
  }

  private static void addLack(NodePass pass, Pod pod, String type) {
    String image = PodFacts.image(pod, Names.SIDECAR).orElse(pass.view().sidecarImage());
    String imageId = PodFacts.imageId(pod, Names.SIDECAR).orElse(null);
    pass.update(
        status -> {
          var types = new TreeSet<String>();
          if (isOf(status.sidecar(), pod)) {
            types.addAll(types(status.sidecar()));
          }
          types.add(type);
          return status.withSidecar(new SidecarStatus(image, imageId, List.copyOf(types)));
        });
  }

  /** Forgets what is known of another image than the node's pod has. */
  public static void dropOtherImage(NodePass pass) {
    SidecarStatus known = pass.draft().sidecar();
    boolean other =
        known != null && pass.view().sidecarPod().filter(pod -> !isOf(known, pod)).isPresent();
    if (other) {
      pass.update(status -> status.withSidecar(null));
    }
  }

  /** Says which task of the active plan the sidecar does not know; not if its pod is to go. */
  public static Optional<String> lackedByPlan(NodePass pass) {
    NodeView reported = pass.drafted();
    List<PlannedTask> left =
        Optional.ofNullable(pass.draft().plan())
            .filter(TaskPlan::isActive)
            .map(TaskPlan::tasks)
            .orElse(List.of())
            .stream()
            .filter(task -> task != null && task.type() != null)
            .filter(task -> task.status() != TaskStatus.COMPLETE)
            .toList();
    return left.stream().anyMatch(task -> TaskTypes.REPLACE_POD.equals(task.type()))
        ? Optional.empty()
        : left.stream()
            .map(SidecarAbilities::submittedType)
            .filter(type -> !can(reported, type))
            .findFirst()
            .map(type -> message(pass, type));
  }

  /** Says that the sidecar's image does not know a type. */
  public static String message(NodePass pass, String type) {
    String image =
        pass.view()
            .sidecarPod()
            .flatMap(pod -> PodFacts.image(pod, Names.SIDECAR))
            .orElse(pass.view().sidecarImage());
    return "sidecar image %s does not support the task type %s".formatted(image, type);
  }

  /** Only peers that the operator cannot resolve are left to a task of that type. */
  private static String submittedType(PlannedTask task) {
    return SidecarTaskTypes.DISCOVER_PEERS.equals(task.type())
        ? PeerSources.request(
                task.params() == null ? MissingNode.getInstance() : task.params(), List.of())
            .type()
        : task.type();
  }

  /** A status can be edited by hand. */
  private static Set<String> types(SidecarStatus known) {
    return Stream.ofNullable(known.unknownTaskTypes())
        .flatMap(List::stream)
        .filter(Objects::nonNull)
        .collect(Collectors.toSet());
  }

  /** A container that has yet to be made has no image id: its image's name then decides. */
  private static boolean isOf(SidecarStatus known, Pod pod) {
    return known != null
        && PodFacts.image(pod, Names.SIDECAR).equals(Optional.ofNullable(known.image()))
        && PodFacts.imageId(pod, Names.SIDECAR).filter(id -> !id.equals(known.imageID())).isEmpty();
  }
}
