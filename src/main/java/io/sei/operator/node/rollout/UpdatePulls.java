package io.sei.operator.node.rollout;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.PullReport;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.Rank;
import io.sei.operator.node.feature.Refused;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.node.objects.ImagePuller;
import io.sei.operator.node.rollout.PodUpdateChoice.Change;
import io.sei.operator.plan.Backoff;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.PullJob;
import io.sei.operator.render.PullPolicy;
import io.sei.operator.render.PulledImage;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Pulls the images that the pod of a node is given in place, before it is given them. The kubelet
 * stops a container before it pulls another image for it, so a pod that serves keeps its images
 * until the others are there. Failed tries are recorded in the task {@code replace-pod}.
 *
 * @param pods the pods of the nodes of a namespace
 * @param isMachineLost whether the Kubernetes node of a pod does not report
 * @param runs images that pods had, which their Kubernetes node keeps for some time
 */
public record UpdatePulls(
    ImagePuller puller,
    Function<String, Stream<Pod>> pods,
    BiPredicate<NodePass, Pod> isMachineLost,
    PerObjectMap<ResourceID, Run> runs) {

  /** Last time at which a pod was seen with its images. */
  record Run(String kubernetesNode, Map<String, Instant> images) {}

  /** Time for which an image counts as present: a kubelet removes unused ones. */
  private static final Duration KEPT = Duration.ofHours(24);

  /** An image may be pushed, or a registry come back, at any time. */
  private static final Duration AGAIN = Backoff.LONGEST_OF_TASKS;

  /**
   * Pulls what is missing before a pod is given other images.
   *
   * @return done if it may be given them now
   * @throws KubernetesClientException if the API server fails
   */
  TaskOutcome first(NodePass pass, Pod pod, List<Change> changes) {
    Optional<String> kubernetesNode = PodFacts.nodeName(pod);
    if (kubernetesNode.isEmpty()) {
      return TaskOutcome.done();
    }
    List<PulledImage> missing = missing(pass, kubernetesNode.get(), changes);
    if (missing.isEmpty() || isMachineLost.test(pass, pod)) {
      return TaskOutcome.done();
    }
    TaskPlan plan = pass.stored().plan();
    PlannedTask task = task(plan);
    boolean serves = pass.view().livePod().filter(PodFacts::isReady).isPresent();
    // A pod that does not serve has nothing to lose, unless the image is known to be bad.
    if (!serves && task.retries() == 0) {
      return TaskOutcome.done();
    }
    String slot = "plan %s try %d".formatted(plan.id(), task.retries());
    var pull = new PullJob(slot, kubernetesNode.get(), missing);
    return switch (puller.follow(pass, pull, pod)) {
      case PullReport.Pulling _, PullReport.Inspecting _ -> waitFor(pull, task);
      // A pull that could not be tried does not delay an update.
      case PullReport.Pulled _, PullReport.LookedInto _, PullReport.Untried _ -> TaskOutcome.done();
      case PullReport.Failed failed -> {
        puller.end(pass);
        yield new TaskOutcome.Repeat(
            failed.cause(),
            "image %s cannot be pulled on Kubernetes node %s: %s"
                .formatted(failed.image(), kubernetesNode.get(), failed.why()),
            AGAIN);
      }
    };
  }

  private static TaskOutcome waitFor(PullJob pull, PlannedTask task) {
    return task.retries() == 0
        ? TaskOutcome.waitFor(
            TaskReason.IMAGE_PULLING,
            "Kubernetes node %s pulls %s; the pod serves until then"
                .formatted(
                    pull.kubernetesNode(),
                    pull.images().stream()
                        .map(image -> "image " + image.name())
                        .collect(Collectors.joining(" and "))),
            Recheck.BACKSTOP)
        : Refused.waitFor(finding(task), Recheck.BACKSTOP);
  }

  /** Ends the pull of a pod that has its images. */
  void end(NodePass pass) {
    puller.end(pass);
  }

  /** Reports a pull that failed, until the pod is given its images. */
  void report(NodePass pass) {
    TaskPlan plan = pass.draft().plan();
    if (plan == null || !plan.isActive()) {
      return;
    }
    Optional<PlannedTask> failed =
        plan.currentTask()
            .filter(task -> task.type().equals(TaskTypes.REPLACE_POD) && task.error() != null);
    if (failed.isPresent()) {
      pass.offer(Rank.Stalled.FOUND, ConditionProposal.yes(finding(failed.get())));
    }
  }

  private static Finding finding(PlannedTask failed) {
    // A fleet does not go back for a cause that another wait has replaced.
    return new Finding(
        failed.waitsFor(StallReason.IMAGE_PULL)
            ? StallReason.IMAGE_PULL
            : StallReason.REGISTRY_UNREACHABLE,
        failed.error(),
        "the pod serves with the image that it has, and the pull is tried again every 2 minutes",
        true);
  }

  private static PlannedTask task(TaskPlan plan) {
    return plan.tasks().stream()
        .filter(task -> task.type().equals(TaskTypes.REPLACE_POD))
        .findFirst()
        .orElseThrow();
  }

  private List<PulledImage> missing(NodePass pass, String kubernetesNode, List<Change> changes) {
    List<Change> given = changes.stream().filter(Change::runs).toList();
    if (given.isEmpty()) {
      return List.of();
    }
    Set<String> known = known(pass, kubernetesNode);
    return given.stream()
        .filter(change -> PullPolicy.isAlways(change.to()) || !known.contains(change.to()))
        .map(change -> PulledImage.ofContainer(change.container(), change.to()))
        .distinct()
        .toList();
  }

  /** Images that a Kubernetes node has, as far as pods and upgrades of the namespace show. */
  private Set<String> known(NodePass pass, String kubernetesNode) {
    var known = new HashSet<>(recentlyRun(pass, kubernetesNode));
    Stream.ofNullable(pass.stored().upgrades())
        .flatMap(List::stream)
        .filter(upgrade -> upgrade.imageID() != null && upgrade.image() != null)
        .filter(upgrade -> kubernetesNode.equals(upgrade.pulledOn()))
        .filter(upgrade -> isRecent(upgrade.pulledAt(), pass))
        .forEach(upgrade -> known.add(upgrade.image()));
    pods.apply(pass.namespace())
        .filter(other -> PodFacts.nodeName(other).filter(kubernetesNode::equals).isPresent())
        .flatMap(UpdatePulls::images)
        .forEach(known::add);
    return known;
  }

  /** Images that this process has seen in the pod of a node: a way back needs no pull. */
  private Set<String> recentlyRun(NodePass pass, String kubernetesNode) {
    var recent = new HashMap<String, Instant>();
    Run last = runs.get(ResourceID.fromResource(pass.node())).orElse(null);
    if (last != null && last.kubernetesNode().equals(kubernetesNode)) {
      recent.putAll(last.images());
      recent.values().removeIf(at -> !isRecent(at, pass));
    }
    // Not of a run before an update in place, whose image is another one.
    pass.view().livePod().stream()
        .flatMap(UpdatePulls::images)
        .forEach(image -> recent.put(image, pass.now()));
    runs.put(ResourceID.fromResource(pass.node()), new Run(kubernetesNode, Map.copyOf(recent)));
    return recent.keySet();
  }

  /** A time in the future is of a clock that was ahead, and proves nothing. */
  private static boolean isRecent(Instant at, NodePass pass) {
    return at != null && !at.isAfter(pass.now()) && at.plus(KEPT).isAfter(pass.now());
  }

  private static Stream<String> images(Pod pod) {
    return Stream.concat(
            pod.getSpec().getContainers().stream(), pod.getSpec().getInitContainers().stream())
        .filter(container -> PodFacts.imageId(pod, container.getName()).isPresent())
        .map(Container::getImage);
  }
}
