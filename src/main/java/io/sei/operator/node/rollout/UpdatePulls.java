package io.sei.operator.node.rollout;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.UpdatePull;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.PullReport;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.node.model.NodeCaches;
import io.sei.operator.node.model.NodePass;
import io.sei.operator.node.model.Rank;
import io.sei.operator.node.model.Refused;
import io.sei.operator.node.resources.PullJobs;
import io.sei.operator.node.rollout.PodUpdateChoice.Change;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.PullJob;
import io.sei.operator.render.PullPolicy;
import io.sei.operator.render.PulledProgram;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the images pulled that the pod of a node is to be given in place, before it is given them. An
 * image that cannot be pulled is waited for, while the pod serves with the one it has.
 */
public final class UpdatePulls {

  private static final Logger log = LoggerFactory.getLogger(UpdatePulls.class);

  /** How long an image counts as being there: a kubelet removes those that nothing uses. */
  private static final Duration KEPT = Duration.ofHours(24);

  private final PullJobs jobs;
  private final NodeCaches caches;
  private final BiPredicate<NodePass, Pod> isMachineLost;

  /**
   * @param isMachineLost whether the Kubernetes node of a pod does not report
   */
  public UpdatePulls(PullJobs jobs, NodeCaches caches, BiPredicate<NodePass, Pod> isMachineLost) {
    this.jobs = jobs;
    this.caches = caches;
    this.isMachineLost = isMachineLost;
  }

  /** Records, together with a plan that was just made, what will be pulled first. */
  void foresee(NodePass pass, TaskPlan plan, Pod pod, List<Change> changes) {
    UpdatePull last = pass.draft().updatePull();
    if (last == null || !last.isOpen()) {
      PullFirst.foreseen(question(pass, plan, pod, changes, false, last))
          .ifPresent(pull -> record(pass, pull));
    }
  }

  /** Returns whether a pull, null if there is none, is on record for a plan. */
  static boolean isOf(UpdatePull pull, TaskPlan plan) {
    return pull != null && pull.isOf(plan);
  }

  /**
   * Does what is due before a pod is given other images.
   *
   * @return done if it may be given them now
   * @throws KubernetesClientException if the API server fails
   */
  TaskOutcome first(NodePass pass, Pod pod, List<Change> changes) {
    // One that has ended in this pass is not followed again.
    UpdatePull last = pass.draft().updatePull();
    boolean isLost = isMachineLost.test(pass, pod);
    TaskPlan plan = pass.stored().plan();
    return switch (PullFirst.of(question(pass, plan, pod, changes, isLost, last))) {
      case PullFirst.No _ -> TaskOutcome.done();
      case PullFirst.Begin begin -> {
        dropOpen(pass, last);
        record(pass, begin.pull());
        yield TaskOutcome.recording();
      }
      case PullFirst.Follow follow ->
          follow(pass, follow.pull(), pod, program(changes, follow.pull()))
              .then(() -> first(pass, pod, changes));
      case PullFirst.Failed failed -> Refused.waitFor(finding(failed.pull()), failed.left());
    };
  }

  private static PulledProgram program(List<Change> changes, UpdatePull pull) {
    return changes.stream()
        .filter(change -> change.to().equals(pull.image()))
        .map(change -> PulledProgram.of(change.container()))
        .findFirst()
        .orElse(PulledProgram.SEID);
  }

  private TaskOutcome follow(NodePass pass, UpdatePull pull, Pod pod, PulledProgram program) {
    Instant now = pass.now();
    try {
      return switch (jobs.follow(pass, job(pull, program), pod)) {
        case PullReport.Pulling _ -> waitFor(pull);
        case PullReport.Pulled _ -> go(pass, pull.ended());
        case PullReport.Failed failed -> {
          UpdatePull ended = pull.failed(failed.why(), now);
          record(pass, ended);
          yield Refused.waitFor(finding(ended), PullFirst.AGAIN);
        }
        case PullReport.Untried untried -> goWithout(pass, pull, untried.why());
        case PullReport.Gone _ -> {
          record(pass, pull.again(now));
          yield TaskOutcome.recording();
        }
      };
    } catch (RefusedException e) {
      return goWithout(pass, pull, e.getMessage());
    }
  }

  private static TaskOutcome waitFor(UpdatePull pull) {
    return pull.error() == null
        ? TaskOutcome.waitFor(
            "ImagePulling",
            "Kubernetes node %s pulls image %s; the pod serves until it is there"
                .formatted(pull.kubernetesNode(), pull.image()),
            Recheck.BACKSTOP)
        : Refused.waitFor(finding(pull), Recheck.BACKSTOP);
  }

  private static TaskOutcome go(NodePass pass, UpdatePull ended) {
    record(pass, ended);
    return TaskOutcome.done();
  }

  /** A pull that could not be tried does not delay an update. */
  private static TaskOutcome goWithout(NodePass pass, UpdatePull pull, String why) {
    log.warn(
        "Image {} of node {} is not pulled ahead of its update: {}",
        pull.image(),
        pass.name(),
        why);
    return go(pass, pull.ended());
  }

  /** Ends a pull that no plan waits for, and takes it off the record. */
  void settle(NodePass pass) {
    UpdatePull last = pass.draft().updatePull();
    if (last != null && !isOf(last, pass.stored().plan())) {
      dropOpen(pass, last);
      record(pass, null);
    }
  }

  /** Says why the plan waits, and takes off the record what was of a plan that is over. */
  void report(NodePass pass) {
    UpdatePull last = pass.draft().updatePull();
    if (last == null) {
      return;
    }
    if (isOf(last, pass.draft().plan())) {
      Optional.of(last)
          .filter(it -> it.error() != null)
          .ifPresent(it -> pass.offer(Rank.Stalled.FOUND, ConditionProposal.yes(finding(it))));
    } else if (!last.isOpen()) {
      record(pass, null);
    }
  }

  private void dropOpen(NodePass pass, UpdatePull last) {
    if (last != null && last.isOpen()) {
      jobs.drop(pass, job(last, PulledProgram.SEID));
    }
  }

  private static Finding finding(UpdatePull pull) {
    return new Finding(
        StallReason.IMAGE_PULL,
        "image %s cannot be pulled on Kubernetes node %s: %s"
            .formatted(pull.image(), pull.kubernetesNode(), pull.error()),
        "the pod serves with the image that it has, and the pull is tried again every 2 minutes",
        true);
  }

  private static void record(NodePass pass, UpdatePull pull) {
    pass.update(status -> status.withUpdatePull(pull));
  }

  /** Each try has a Job of its own, so that none is taken for an earlier one that still goes. */
  private static PullJob job(UpdatePull pull, PulledProgram program) {
    return PullJob.of(
        "update %s %s".formatted(pull.planID(), pull.startedAt()),
        program,
        pull.image(),
        pull.kubernetesNode(),
        pull.startedAt());
  }

  private PullFirst.Question question(
      NodePass pass,
      TaskPlan plan,
      Pod pod,
      List<Change> changes,
      boolean isLost,
      UpdatePull last) {
    List<String> images = changes.stream().filter(Change::runs).map(Change::to).distinct().toList();
    String kubernetesNode = PodFacts.nodeName(pod).orElse(null);
    return new PullFirst.Question(
        plan,
        kubernetesNode,
        images,
        there(pass, kubernetesNode, images),
        pass.view().livePod().filter(PodFacts::isReady).isPresent(),
        isLost,
        last,
        pass.now());
  }

  private Set<String> there(NodePass pass, String kubernetesNode, List<String> images) {
    Set<String> known =
        Stream.of(
                beforeLastUpdate(pass),
                ofUpgrades(pass, kubernetesNode),
                caches
                    .nodes()
                    .filter(it -> pass.namespace().equals(it.getMetadata().getNamespace()))
                    .flatMap(it -> caches.pod(it).stream())
                    .filter(it -> PodFacts.nodeName(it).equals(Optional.ofNullable(kubernetesNode)))
                    .flatMap(UpdatePulls::images))
            .flatMap(it -> it)
            .collect(Collectors.toSet());
    return images.stream()
        .filter(it -> known.contains(it) && !PullPolicy.isAlways(it))
        .collect(Collectors.toSet());
  }

  private static Stream<String> beforeLastUpdate(NodePass pass) {
    SeiNodeStatus status = pass.stored();
    return Stream.ofNullable(status.podUpdate())
        .filter(it -> it.how() == PodUpdate.How.IN_PLACE && isRecent(it.changedAt(), pass))
        .filter(
            it ->
                pass.view()
                    .livePod()
                    .filter(pod -> pod.getMetadata().getUid().equals(it.podUid()))
                    .isPresent())
        .map(PodUpdate::from)
        .filter(Objects::nonNull);
  }

  private static Stream<String> ofUpgrades(NodePass pass, String kubernetesNode) {
    return Stream.ofNullable(pass.stored().upgrades())
        .flatMap(List::stream)
        .filter(it -> it.imageID() != null && it.image() != null)
        .filter(it -> Objects.equals(it.pulledOn(), kubernetesNode))
        .filter(it -> isRecent(it.pulledAt(), pass))
        .map(it -> it.image());
  }

  private static boolean isRecent(Instant at, NodePass pass) {
    return at != null && at.plus(KEPT).isAfter(pass.now());
  }

  private static Stream<String> images(Pod pod) {
    return Stream.concat(
            pod.getSpec().getContainers().stream(), pod.getSpec().getInitContainers().stream())
        .filter(it -> PodFacts.imageId(pod, it.getName()).isPresent())
        .map(Container::getImage);
  }
}
