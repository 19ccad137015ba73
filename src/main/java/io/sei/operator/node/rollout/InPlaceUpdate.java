package io.sei.operator.node.rollout;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.PodUpdate.How;
import io.sei.operator.api.v1alpha1.PodUpdate.ResizedContainer;
import io.sei.operator.api.v1alpha1.PodUpdateBuilder;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.UpdatePolicy;
import io.sei.operator.diagnosis.ObservedPod;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.PullReport;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.ProgressDeadline;
import io.sei.operator.node.rollout.PodUpdateChoice.Change;
import io.sei.operator.plan.TaskOutcome;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the pod of a node to its newest template by changing its images and resources, where the
 * node asks for that and nothing else differs. How it goes is recorded before it is done; a pod
 * that cannot be updated so, or of which that fails, is left to be deleted.
 */
public final class InPlaceUpdate {

  private static final Logger log = LoggerFactory.getLogger(InPlaceUpdate.class);

  private final KubeApi api;
  private final NodeCaches caches;
  private final BiPredicate<NodePass, Pod> isMachineLost;
  private final ProgressDeadline deadline;
  private final UpdatePulls pulls;
  private final Resizing resizing;
  private final Counter inPlace;
  private final Counter recreated;

  /**
   * @param isMachineLost whether the Kubernetes node of a pod does not report
   * @param deadline after which a container that is unchanged is not waited for
   * @param pulls of images that are to be there first
   */
  public InPlaceUpdate(
      KubeApi api,
      NodeCaches caches,
      BiPredicate<NodePass, Pod> isMachineLost,
      ProgressDeadline deadline,
      UpdatePulls pulls,
      MeterRegistry metrics) {
    this.api = api;
    this.caches = caches;
    this.isMachineLost = isMachineLost;
    this.deadline = deadline;
    this.pulls = pulls;
    this.resizing = new Resizing(api, caches, this::isOverdue);
    this.inPlace = updates(metrics, How.IN_PLACE);
    this.recreated = updates(metrics, How.RECREATE);
  }

  /** {@code sei_pod_updates_total}: pods that were updated, in one way or the other. */
  public static Counter updates(MeterRegistry metrics, How how) {
    return Counter.builder("sei.pod.updates")
        .description("Pods that were brought to another template, by how that was done")
        .tag("how", how.toString())
        .register(metrics);
  }

  /** Returns whether a node asks for updates in place. */
  static boolean isWanted(SeiNode node) {
    return node.getSpec()
        .podUpdates()
        .filter(pod -> pod == UpdatePolicy.OfPod.IN_PLACE_IF_POSSIBLE)
        .isPresent();
  }

  /**
   * Returns whether a pod due for replacement may be updated in place instead: its node asks for
   * that, or it must not be ended. An init plan needs a new pod.
   */
  static boolean isWanted(NodePass pass, TaskPlan plan) {
    return (isWanted(pass.node()) || pass.view().isKept()) && plan.kind() == PlanKind.UPDATE;
  }

  /**
   * Returns whether a pod that has the plan's template has to be deleted, since it cannot run it.
   */
  boolean isGivenUp(NodePass pass, Pod pod) {
    PodUpdate update = pass.stored().podUpdate();
    return ObservedPod.isCarriedOut(pod, update) && update.how() == How.RECREATE;
  }

  /**
   * Returns whether it is recorded that a pod is changed in place, and was not done as far as is
   * known.
   */
  boolean isToBeSent(NodePass pass, StatefulSet statefulSet, Pod pod) {
    PodUpdate update = pass.stored().podUpdate();
    return isDecided(update, statefulSet, pod)
        && update.how() == How.IN_PLACE
        && isAsRecorded(pod, update);
  }

  /** Returns whether a pod did not get back what it had before an update that was withdrawn. */
  private static boolean isLeft(PodUpdate update, Pod pod) {
    return ObservedPod.isCarriedOut(pod, update)
        && update.how() == How.RECREATE
        && update.revision() == null;
  }

  /** Returns whether that was decided by the template of the newest revision. */
  private static boolean isDecided(PodUpdate update, StatefulSet statefulSet, Pod pod) {
    return update != null
        && update.revision() != null
        && update.isOf(
            pod.getMetadata().getUid(), statefulSet.getStatus().getUpdateRevision(), null);
  }

  /** Returns whether the plan that was just made recorded how the pod was, and that still holds. */
  private static boolean isForeseen(NodePass pass, Pod pod) {
    PodUpdate update = pass.stored().podUpdate();
    return update != null
        && update.revision() == null
        && update.how() == How.IN_PLACE
        && update.isOf(pod.getMetadata().getUid(), null, pass.stored().plan().target().specHash())
        && isAsRecorded(pod, update);
  }

  /** Gives a pod other resources. */
  Resizing resizing() {
    return resizing;
  }

  /**
   * Done unless a pod that is updated in place waits for the pull of its images. What it is given
   * is taken from the cache, so that a pull that takes its time costs no further requests.
   */
  TaskOutcome pulled(NodePass pass, StatefulSet known, Pod pod) {
    if (!isForeseen(pass, pod)) {
      return TaskOutcome.done();
    }
    PodTemplateSpec wanted = known.getSpec().getTemplate();
    return pulls.first(pass, pod, PodUpdateChoice.changes(pod, PodUpdateChoice.asIs(pod), wanted));
  }

  /** Counts a pod that was deleted, so that another one is made. */
  void recreated() {
    recreated.increment();
  }

  /**
   * Updates a pod.
   *
   * @param live the StatefulSet as it was just read, whose controller has observed it
   * @return empty if the pod has to be deleted
   * @throws KubernetesClientException if the API server fails, and when to try again is open
   */
  Optional<TaskOutcome> update(NodePass pass, StatefulSet live, Pod pod) {
    PodTemplateSpec wanted = live.getSpec().getTemplate();
    String revision = live.getStatus().getUpdateRevision();
    PodUpdate last = pass.stored().podUpdate();
    TaskPlan plan = pass.stored().plan();
    if (isDecided(last, live, pod) && last.how() == How.RECREATE || isLeft(last, pod)) {
      return Optional.empty();
    }
    if (isToBeSent(pass, live, pod)) {
      return Optional.of(send(pass, pod, wanted, last));
    }
    boolean isForeseen = isForeseen(pass, pod);
    // How it was made was compared before it was recorded, and it has not been changed since.
    PodTemplateSpec own =
        isForeseen
            ? PodUpdateChoice.asIs(pod)
            : OwnTemplate.of(api, pass.namespace(), pod).orElse(null);
    return switch (choice(pass, plan, pod, own, wanted, isMachineLost.test(pass, pod))) {
      case PodUpdateChoice.Recreate no -> {
        if (pass.view().isKept()) {
          yield Optional.empty();
        }
        record(
            pass,
            begun(pass, plan, pod, own, revision, List.of(), List.of())
                .givenUp("NotPossible", no.why()));
        yield Optional.empty();
      }
      case PodUpdateChoice.InPlace yes ->
          Optional.of(
              pulls
                  .first(pass, pod, yes.changes())
                  .then(
                      () -> {
                        PodUpdate update =
                            begun(pass, plan, pod, own, revision, yes.changes(), yes.resized());
                        record(pass, update);
                        return isForeseen && last.foretells(update)
                            ? send(pass, pod, wanted, update)
                            : TaskOutcome.recording();
                      }));
    };
  }

  /**
   * Records how a pod is that a plan is about to change, together with the plan: as far as is known
   * ahead of the new template it is done in place. Whether it really is, that template decides.
   */
  void foresee(NodePass pass, TaskPlan plan, Pod pod) {
    Optional<StatefulSet> statefulSet = pass.view().statefulSet();
    if (statefulSet.isEmpty() || statefulSet.get().getStatus() == null) {
      return;
    }
    String newest = statefulSet.get().getStatus().getUpdateRevision();
    PodTemplateSpec own = statefulSet.get().getSpec().getTemplate();
    if (!PodFacts.revision(pod).equals(Optional.ofNullable(newest))
        || !PodUpdateChoice.isAsMade(pod, own)) {
      return;
    }
    PodTemplateSpec wanted = PodUpdateChoice.with(own, plan.target());
    if (choice(pass, plan, pod, own, wanted, false) instanceof PodUpdateChoice.InPlace yes) {
      record(pass, begun(pass, plan, pod, own, null, yes.changes(), yes.resized()));
    }
  }

  private PodUpdateChoice choice(
      NodePass pass,
      TaskPlan plan,
      Pod pod,
      PodTemplateSpec own,
      PodTemplateSpec wanted,
      boolean isMachineLost) {
    PodUpdate last = pass.stored().podUpdate();
    return PodUpdateChoice.of(
        new PodUpdateChoice.Candidate(
            pod,
            ObservedPod.update(pod, last),
            own,
            wanted,
            plan,
            isMachineLost,
            pass.view().isKept(),
            recreateReason(pass.view()),
            last));
  }

  private static String recreateReason(NodeView view) {
    if (view.isHeld()) {
      return NodeView.holdReason(view.stored());
    }
    return view.stored().awaitsNewData() ? "its data is being reset" : null;
  }

  private static PodUpdate begun(
      NodePass pass,
      TaskPlan plan,
      Pod pod,
      PodTemplateSpec own,
      String revision,
      List<Change> changes,
      List<ResizedContainer> resized) {
    PodUpdate last = pass.stored().podUpdate();
    Optional<Change> first = changes.stream().findFirst();
    boolean isOfImages = first.isPresent() || resized.isEmpty();
    return PodUpdateBuilder.builder()
        .podUid(pod.getMetadata().getUid())
        .how(How.IN_PLACE)
        .revision(revision)
        .specHash(plan.target().specHash())
        .from(
            first
                .map(Change::from)
                .or(() -> pass.view().imageOf(pod))
                .filter(image -> isOfImages)
                .orElse(null))
        .to(isOfImages ? first.map(Change::to).orElse(plan.target().image()) : null)
        .at(pass.view().now())
        .containers(
            changes.stream()
                .filter(Change::runs)
                .map(change -> ObservedPod.before(pod, change.container(), change.to()))
                .toList())
        .crashedImages(PodUpdateChoice.crashedImages(ObservedPod.update(pod, last), own, last))
        .resized(resized)
        .build();
  }

  private static void record(NodePass pass, PodUpdate update) {
    pass.update(status -> status.withPodUpdate(update));
  }

  private static boolean isAsRecorded(Pod pod, PodUpdate update) {
    return update.containers().stream()
        .allMatch(
            container ->
                PodFacts.containerId(pod, container.name())
                        .equals(Optional.ofNullable(container.containerID()))
                    && PodFacts.image(pod, container.name())
                        .equals(Optional.ofNullable(container.previousImage())));
  }

  /** Resources first, images with all that says which template the pod is of last. */
  private TaskOutcome send(NodePass pass, Pod pod, PodTemplateSpec wanted, PodUpdate update) {
    return resizing.to(pass, pod, update).then(() -> change(pass, pod, wanted, update));
  }

  private TaskOutcome change(NodePass pass, Pod pod, PodTemplateSpec wanted, PodUpdate update) {
    List<Change> changes = PodUpdateChoice.recorded(pod, wanted, update);
    try {
      Pod answer = api.strategicPatch(pod, PodPatch.of(pod, wanted, update.revision(), changes));
      log.info(
          "Pod {} (uid {}) was changed in place: {} {}",
          pod.getMetadata().getName(),
          pod.getMetadata().getUid(),
          changes,
          update.resized());
      inPlace.increment();
      pulls.end(pass);
      caches.remember(answer, Optional.of(pod));
      if (!PodPatch.isIn(answer, wanted, update)) {
        return PatchFailure.giveUp(
            pass,
            NodeReason.POD_PATCH_CHANGED.toString(),
            "admission control left the pod as it was, or made something else of it");
      }
      pass.observed(ObservedPod.update(answer, update));
      return TaskOutcome.done();
    } catch (RefusedException e) {
      return PatchFailure.giveUp(pass, e);
    } catch (KubernetesClientException e) {
      return PatchFailure.waitIfChanged(e);
    }
  }

  /**
   * Returns whether a pod, as the watch has it as well, can only be from after its update in place:
   * every container that was updated has had a run of its new image.
   */
  public boolean isSeen(NodePass pass, Pod pod) {
    PodUpdate update = pass.stored().podUpdate();
    return ObservedPod.isCarriedOut(pod, update)
        && update.how() == How.IN_PLACE
        && !update.isWithdrawn()
        && ObservedPod.hasRunSince(pod, update);
  }

  /**
   * Returns whether an update in place has failed in a pod that has the plan's template: then the
   * deletion of the pod is recorded.
   */
  boolean fails(NodePass pass, Pod pod) {
    PodUpdate update = pass.stored().podUpdate();
    if (!ObservedPod.isCarriedOut(pod, update)) {
      return false;
    }
    if (update.how() == How.RECREATE) {
      return true;
    }
    Optional<Failure> failure =
        pass.view().isKept() ? Optional.empty() : failure(pass, pod, update);
    failure.ifPresent(why -> PatchFailure.giveUp(pass, why.reason, why.words));
    return failure.isPresent();
  }

  private record Failure(String reason, String words) {}

  private Optional<Failure> failure(NodePass pass, Pod pod, PodUpdate update) {
    if (!ObservedPod.hasImages(pod, update)) {
      return Optional.of(
          new Failure(
              NodeReason.POD_PATCH_CHANGED.toString(),
              "the pod does not have the images that it was given"));
    }
    Optional<PullReport.Failed> missing = ObservedPod.missingImage(pod, update);
    if (missing.isPresent()) {
      return Optional.of(new Failure(missing.get().cause().toString(), missing.get().why()));
    }
    return !ObservedPod.hasRunSince(pod, update) && isOverdue(pass, pod)
        ? Optional.of(
            new Failure(
                "Unchanged",
                "the kubelet has not started the new image within the progress deadline"))
        : Optional.empty();
  }

  /** Returns whether a kubelet that reports has had its time for what is recorded. */
  private boolean isOverdue(NodePass pass, Pod pod) {
    return Optional.ofNullable(pass.stored().podUpdate().at())
            .filter(at -> at.plus(deadline.of(pass.node())).isBefore(pass.view().now()))
            .isPresent()
        && !isMachineLost.test(pass, pod);
  }
}
