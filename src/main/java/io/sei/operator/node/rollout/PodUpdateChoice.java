package io.sei.operator.node.rollout;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.sei.operator.api.v1alpha1.PlanTarget;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.PodUpdate.ResizedContainer;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.diagnosis.ObservedPod;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * PURE: whether a pod can be brought to a template in place. It can where images and resources
 * differ and nothing else does, and where the kubelet can be relied on to start the new ones as in
 * a new pod; else it is deleted, which is always right.
 */
sealed interface PodUpdateChoice {

  /** Images of the pod are changed, or resources; at least one of them. */
  record InPlace(List<Change> changes, List<ResizedContainer> resized) implements PodUpdateChoice {}

  /**
   * The pod is deleted, and the StatefulSet makes another one.
   *
   * @param why for a person
   */
  record Recreate(String why) implements PodUpdateChoice {}

  /**
   * Another image for a container or init container.
   *
   * @param runs whether the container runs as long as the pod, and so is started again
   */
  record Change(String container, String from, String to, boolean runs) {}

  /**
   * Inputs of the choice.
   *
   * @param pod as the API server has it, not since an earlier update
   * @param since the same since that update
   * @param own the template of the pod's own revision; null if it is not known
   * @param wanted the template that it is to be brought to
   * @param plan the plan that asks for it
   * @param lost whether its Kubernetes node does not report, or not that it is ready
   * @param kept whether the pod must not be ended, so that what may take long is tried all the same
   * @param apart what else keeps the pod from being changed in place; null if nothing
   * @param last the last update; null if there was none
   */
  @RecordBuilder
  record Candidate(
      Pod pod,
      Pod since,
      PodTemplateSpec own,
      PodTemplateSpec wanted,
      TaskPlan plan,
      boolean lost,
      boolean kept,
      String apart,
      PodUpdate last)
      implements PodUpdateChoiceCandidateBuilder.With {}

  /** Chooses. */
  static PodUpdateChoice of(Candidate candidate) {
    List<Change> changes =
        candidate.own() == null
            ? List.of()
            : changes(candidate.pod(), candidate.own(), candidate.wanted());
    List<ResizedContainer> resized =
        candidate.own() == null
            ? List.of()
            : ResizePatch.changes(candidate.pod(), candidate.own(), candidate.wanted());
    Optional<String> reason = recreateReason(candidate, changes, resized);
    return reason.isPresent() ? new Recreate(reason.get()) : new InPlace(changes, resized);
  }

  private static Optional<String> recreateReason(
      Candidate candidate, List<Change> changes, List<ResizedContainer> resized) {
    Optional<String> body = body(candidate);
    if (body.isPresent()) {
      return body;
    }
    if (candidate.apart() != null) {
      return Optional.of(candidate.apart());
    }
    if (isConfiguredFirst(candidate.plan())) {
      return Optional.of("its configuration changes, and seid reads that at its start");
    }
    Optional<String> place = place(candidate).or(() -> ownRevision(candidate));
    if (place.isPresent()) {
      return place;
    }
    if (changes.isEmpty() && resized.isEmpty()) {
      return Optional.of("neither images nor resources change");
    }
    return candidate.kept() ? Optional.empty() : crashed(candidate, changes);
  }

  private static Optional<String> body(Candidate candidate) {
    Optional<String> stamp = annotation(candidate.pod().getMetadata().getAnnotations());
    if (stamp.isEmpty()) {
      return Optional.of("the pod was made by the Go operator");
    }
    return stamp.equals(annotation(candidate.wanted().getMetadata().getAnnotations()))
        ? Optional.empty()
        : Optional.of("more than its images and resources changes");
  }

  private static Optional<String> annotation(Map<String, String> annotations) {
    return Optional.ofNullable(annotations).map(all -> all.get(Annotations.BODY_HASH));
  }

  private static boolean isConfiguredFirst(TaskPlan plan) {
    return plan.tasks().stream()
        .filter(task -> TaskTypes.isOfSidecar(task.type()))
        .filter(task -> !TaskTypes.MARK_READY.equals(task.type()))
        .anyMatch(task -> task.status() != TaskStatus.COMPLETE);
  }

  private static Optional<String> place(Candidate candidate) {
    Pod pod = candidate.pod();
    if (candidate.lost()) {
      return Optional.of("its Kubernetes node does not report");
    }
    boolean runs =
        PodFacts.nodeName(pod).isPresent()
            && !PodFacts.isTerminating(pod)
            && PodFacts.isRunning(pod);
    return runs ? Optional.empty() : Optional.of("the pod has not started");
  }

  private static Optional<String> ownRevision(Candidate candidate) {
    if (candidate.own() == null) {
      return Optional.of("the revision that the pod is of is not known");
    }
    return ResizePatch.needsNewPod(candidate.own(), candidate.wanted())
        ? Optional.of("its resources change in more than CPU and memory")
        : Optional.empty();
  }

  private static boolean hasImage(Pod pod, Container of) {
    return PodFacts.image(pod, of.getName()).equals(Optional.ofNullable(of.getImage()));
  }

  private static boolean hasResources(PodSpec own, Container wanted) {
    return containers(own)
        .filter(container -> container.getName().equals(wanted.getName()))
        .anyMatch(container -> Objects.equals(container.getResources(), wanted.getResources()));
  }

  /** Its back-off still counts, and a new pod may be given another machine. */
  private static Optional<String> crashed(Candidate candidate, List<Change> changes) {
    for (Change change : changes) {
      if (!ObservedPod.hasRun(candidate.pod(), change.container())) {
        return Optional.of("container " + change.container() + " has not run in this pod");
      }
      if (crashedImages(candidate.since(), candidate.own(), candidate.last())
          .contains(change.to())) {
        return Optional.of("image " + change.to() + " has crashed in this pod");
      }
    }
    return Optional.empty();
  }

  /**
   * The images that have crashed in a pod by now.
   *
   * @param own the template of the pod's own revision; null if it is not known
   */
  static List<String> crashedImages(Pod since, PodTemplateSpec own, PodUpdate last) {
    var crashed = new ArrayList<String>();
    if (last != null && since.getMetadata().getUid().equals(last.podUid())) {
      crashed.addAll(last.crashedImages());
    }
    containers(own == null ? since.getSpec() : own.getSpec())
        .filter(container -> ObservedPod.hasCrashed(since, container.getName()))
        .map(Container::getImage)
        .forEach(crashed::add);
    return crashed.stream().filter(Objects::nonNull).distinct().sorted().toList();
  }

  /**
   * Lists the differences, seid first. The images that a pod was asked to run are those of its own
   * revision: admission may have put others into its spec.
   */
  static List<Change> changes(Pod pod, PodTemplateSpec own, PodTemplateSpec wanted) {
    List<Container> once =
        wanted.getSpec().getInitContainers().stream()
            .filter(container -> !"Always".equals(container.getRestartPolicy()))
            .toList();
    return containers(wanted.getSpec())
        .flatMap(
            container ->
                image(own, container.getName())
                    .filter(
                        image -> !image.equals(container.getImage()) && !hasImage(pod, container))
                    .map(
                        image ->
                            new Change(
                                container.getName(),
                                image,
                                container.getImage(),
                                !once.contains(container)))
                    .stream())
        .toList();
  }

  private static Optional<String> image(PodTemplateSpec template, String container) {
    return containers(template.getSpec())
        .filter(own -> own.getName().equals(container))
        .map(Container::getImage)
        .filter(Objects::nonNull)
        .findFirst();
  }

  /** Lists the changes of a recorded update, with containers that do not run any more. */
  static List<Change> recorded(Pod pod, PodTemplateSpec wanted, PodUpdate update) {
    return changes(pod, asIs(pod), wanted).stream()
        .filter(
            change ->
                !change.runs()
                    || update.containers().stream()
                        .anyMatch(recorded -> recorded.name().equals(change.container())))
        .toList();
  }

  /** The template by which a pod is as it is. */
  static PodTemplateSpec asIs(Pod pod) {
    return new PodTemplateSpec(pod.getMetadata(), pod.getSpec());
  }

  /** Returns whether a pod has the images and resources of its template. */
  static boolean isAsMade(Pod pod, PodTemplateSpec own) {
    return containers(own.getSpec())
        .allMatch(container -> hasImage(pod, container) && hasResources(pod.getSpec(), container));
  }

  /** A template with the images of a target. */
  static PodTemplateSpec with(PodTemplateSpec template, PlanTarget target) {
    return new PodTemplateSpecBuilder(template)
        .editSpec()
        .editMatchingContainer(builder -> Names.SEID.equals(builder.getName()))
        .withImage(target.image())
        .endContainer()
        .editMatchingInitContainer(builder -> Names.SIDECAR.equals(builder.getName()))
        .withImage(target.sidecarImage())
        .endInitContainer()
        .endSpec()
        .build();
  }

  private static Stream<Container> containers(PodSpec spec) {
    return Stream.concat(spec.getContainers().stream(), spec.getInitContainers().stream());
  }
}
