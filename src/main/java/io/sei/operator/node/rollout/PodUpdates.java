package io.sei.operator.node.rollout;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PodUpdate;
import io.sei.operator.api.v1alpha1.PodUpdate.How;
import io.sei.operator.api.v1alpha1.PodUpdate.ResizedContainer;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.UpdatePolicy;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.ObservedPod;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.PodResize;
import io.sei.operator.kube.ApiErrors;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.MetadataPatch;
import io.sei.operator.kube.RefusedException;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.Slot;
import io.sei.operator.node.feature.StepParams;
import io.sei.operator.node.feature.TaskTypes;
import io.sei.operator.node.feature.Vetoes;
import io.sei.operator.plan.PlanTrigger.PlanConflict;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.TaskType;
import io.sei.operator.plan.Traits;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.EventRule;
import io.sei.operator.reconcile.Next;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Names;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Replaces the pod of a node, or updates it in place. An update in place that the spec no longer
 * asks for is withdrawn first, the first run of each new image is recorded, and a condition and an
 * Event report how a pod was updated, and what keeps it from being updated in place.
 *
 * @param vetoes of the end of a pod
 * @param pulls of the images of updates in place
 * @param backOffs decides which pods are replaced for a back-off
 * @param diagnosis why the new pod makes no progress, if it does not
 * @param byDefault whether nodes that do not say how they are updated are updated in place
 */
public record PodUpdates(
    KubeApi api,
    NodeCaches caches,
    Vetoes vetoes,
    InPlaceUpdate inPlace,
    UpdatePulls pulls,
    RestartBackOffs backOffs,
    Function<NodePass, Optional<Finding>> diagnosis,
    boolean byDefault)
    implements NodeFeature {

  private static final NodeConditionType TYPE = NodeConditionType.UPDATES_IN_PLACE;

  /** Why the API server did not do what was asked of it. */
  private static final List<NodeReason> REFUSALS =
      List.of(
          NodeReason.POD_PATCH_FORBIDDEN,
          NodeReason.POD_PATCH_REFUSED,
          NodeReason.POD_PATCH_CHANGED);

  @Override
  public void operations(OperationParts operations) {
    operations
        .task(
            TaskType.of(
                TaskTypes.REPLACE_POD,
                Traits.OF_OPERATOR,
                new ReplacePodTask(api, caches, vetoes, inPlace, backOffs)::run))
        .task(
            TaskType.of(
                TaskTypes.OBSERVE_IMAGE,
                Traits.OF_OPERATOR,
                new ObserveImageTask(api, diagnosis, inPlace)::run))
        .trigger(PlanConflict.NONE, backOffs::ofBackOff)
        .steps(
            Slot.POD,
            (view, shape) ->
                Stream.of(TaskTypes.REPLACE_POD, TaskTypes.OBSERVE_IMAGE)
                    .map(type -> new Step(type, StepParams.ofTarget(view))));
  }

  @Override
  public SeiNodeSpec overlay(SeiNodeSpec spec, SeiNodeStatus status, Optional<Pod> kept) {
    return byDefault && spec.podUpdates().isEmpty()
        ? spec.updated(policy -> policy.withPod(UpdatePolicy.OfPod.IN_PLACE_IF_POSSIBLE))
        : spec;
  }

  /**
   * Records the first run of each new image. Withdraws an update that was recorded, perhaps sent,
   * and is asked for no longer: a request of a leader that is late must not change the pod after
   * another has decided otherwise.
   *
   * @throws KubernetesClientException if the API server fails
   */
  @Override
  public Next observe(NodePass pass) {
    PodUpdate update = pass.draft().podUpdate();
    if (update == null || update.how() != How.IN_PLACE) {
      return Next.goOn();
    }
    // As the watch has it, not since its last update.
    Optional<Pod> pod = caches.pod(pass.node()).filter(pass.view()::isOwned);
    pod.filter(candidate -> ObservedPod.isCarriedOut(candidate, update))
        .ifPresent(owned -> observe(pass, owned, update));
    boolean isPast = update.changedAt() != null || isAskedFor(pass.draft().plan(), update);
    return pod.filter(candidate -> !isPast && isOpen(candidate, update))
        .map(owned -> withdraw(pass, owned, update))
        .orElseGet(Next::goOn);
  }

  private static void observe(NodePass pass, Pod pod, PodUpdate update) {
    PodUpdate observed = ObservedPod.observed(pod, update);
    if (update.changedAt() == null) {
      PodUpdate changed = observed.withChangedAt(pass.now());
      pass.update(status -> withoutEarlierRun(status.withPodUpdate(changed)));
    } else {
      pass.update(status -> status.withPodUpdate(observed));
    }
  }

  /** Drops the pod from {@code status.seid}: the record of an earlier run no longer counts. */
  private static SeiNodeStatus withoutEarlierRun(SeiNodeStatus status) {
    boolean isSeidChanged =
        status.podUpdate().containers().stream()
            .anyMatch(container -> container.name().equals(Names.SEID));
    return isSeidChanged && status.seid() != null
        ? status.withSeid(status.seid().ofNoPod())
        : status;
  }

  @Override
  public void conditions(ConditionParts conditions) {
    conditions
        .record(this::record)
        .record(backOffs::record)
        .report(this::report)
        .event(EventRule.normal("PodUpdated", PodUpdates::report));
  }

  /** The state of the pod that a plan changes is recorded in the write of the plan. */
  void record(NodePass pass) {
    if (hasNewPlan(pass) && InPlaceUpdate.isWanted(pass, pass.plan())) {
      foresee(pass);
    }
    pulls.report(pass);
  }

  private static boolean hasNewPlan(NodePass pass) {
    TaskPlan plan = pass.plan();
    TaskPlan before = pass.stored().plan();
    return plan != null && plan.isActive() && (before == null || !plan.id().equals(before.id()));
  }

  private void foresee(NodePass pass) {
    PodUpdate last = pass.draft().podUpdate();
    caches
        .pod(pass.node())
        .filter(pass.view()::isOwned)
        // What may have been sent is withdrawn first.
        .filter(pod -> last == null || last.how() != How.IN_PLACE || !isOpen(pod, last))
        .ifPresent(pod -> inPlace.foresee(pass, pass.plan(), pod));
  }

  private Next withdraw(NodePass pass, Pod pod, PodUpdate update) {
    try {
      Pod bumped = bump(pod, update);
      PodUpdate left = giveBack(pass, bumped, update);
      pass.update(status -> status.withPodUpdate(left));
      return Next.writeFirst("pod-update");
    } catch (KubernetesClientException e) {
      if (!ApiErrors.isConflict(e) && !ApiErrors.isNotFound(e)) {
        throw e;
      }
      return Next.rest(PatchFailure.RACE_RECHECK);
    }
  }

  /** Invalidates earlier requests: they carry an older resource version. */
  private Pod bump(Pod pod, PodUpdate update) {
    String mark = update.specHash() + "@" + update.at();
    try {
      Pod bumped =
          api.mergePatch(pod, MetadataPatch.annotation(pod, Annotations.UPDATE_WITHDRAWN, mark));
      caches.remember(bumped, Optional.of(pod));
      return bumped;
    } catch (RefusedException e) {
      // Without the right to change a pod no such request is accepted either.
      return pod;
    }
  }

  /**
   * Restores the resources that a pod had. Resources that the pod does not have yet stay recorded;
   * a pod whose resize is refused is deleted by its plan.
   */
  private PodUpdate giveBack(NodePass pass, Pod pod, PodUpdate update) {
    String own = Annotations.of(pod, Annotations.SPEC_HASH).orElse(null);
    List<ResizedContainer> back =
        update.resized().stream().map(ResizedContainer::reversed).toList();
    try {
      Pod given = PodResize.isSpecified(pod, back) ? pod : inPlace.resizing().send(pod, back);
      return PodResize.isOpen(given, back) ? update.withdrawn(own, back, pass.now()) : null;
    } catch (RefusedException e) {
      return update
          .with(builder -> builder.revision(null).specHash(own).resized(back))
          .givenUp(NodeReason.POD_PATCH_REFUSED.toString(), e.getMessage());
    }
  }

  private static boolean isAskedFor(TaskPlan plan, PodUpdate update) {
    return update.isOfPlan(plan) && plan.isActive();
  }

  private static boolean isOpen(Pod pod, PodUpdate update) {
    return pod.getMetadata().getUid().equals(update.podUid())
        && !PodFacts.isTerminating(pod)
        && !ObservedPod.isCarriedOut(pod, update);
  }

  void report(NodePass pass) {
    boolean isWanted = InPlaceUpdate.isWanted(pass.node());
    if (isWanted || pass.draft().condition(TYPE).isPresent()) {
      pass.put(TYPE, isWanted ? possible(pass.draft().podUpdate()) : unwanted());
    }
  }

  private static ConditionProposal unwanted() {
    return ConditionProposal.no(
        NodeReason.UPDATES_RECREATE, "spec.updatePolicy.pod is not InPlaceIfPossible");
  }

  private static ConditionProposal possible(PodUpdate last) {
    return REFUSALS.stream()
        .filter(reason -> last != null && reason.is(last.reason()))
        .findFirst()
        .map(reason -> ConditionProposal.no(reason, last.message() + advice(reason)))
        .orElseGet(
            () ->
                ConditionProposal.yes(
                    NodeReason.UPDATES_IN_PLACE,
                    "images and resources are changed in the running pod where nothing else"
                        + " differs"));
  }

  private static String advice(NodeReason reason) {
    return reason == NodeReason.POD_PATCH_FORBIDDEN
        ? "; grant the operator the right to patch pods: rbac.updatePodsInPlace of the chart"
        : "; the pod was deleted instead";
  }

  /** Reports an update in place once its plan is complete, instead of PlanComplete. */
  private static Optional<String> report(SeiNodeStatus before, SeiNodeStatus after) {
    PodUpdate update = after.podUpdate();
    if (update == null) {
      return Optional.empty();
    }
    String what = words(update);
    if (update.how() == How.RECREATE) {
      return isReported(before.podUpdate(), update)
          ? Optional.empty()
          : Optional.of(
              "not changed in place: " + (what.isEmpty() ? "" : what + ": ") + update.message());
    }
    return after.plan() == null && update.isOfPlan(before.plan())
        ? Optional.of("changed in place: " + what)
        : Optional.empty();
  }

  private static String words(PodUpdate update) {
    String images =
        Objects.equals(update.from(), update.to())
            ? ""
            : "image %s -> %s".formatted(update.from(), update.to());
    return Stream.of(images, PodResize.words(update.resized()))
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(", "));
  }

  private static boolean isReported(PodUpdate before, PodUpdate after) {
    return before != null
        && before.how() == How.RECREATE
        && Objects.equals(before.podUid(), after.podUid())
        && Objects.equals(before.specHash(), after.specHash());
  }
}
