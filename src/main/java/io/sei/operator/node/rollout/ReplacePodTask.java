package io.sei.operator.node.rollout;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.StatefulSetRef;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.DeleteAnswer;
import io.sei.operator.node.feature.IrreversibleAct;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PodDeletion;
import io.sei.operator.node.feature.Vetoes;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Deletes the pod of an older target, whether it is ready or not, and one in a back-off that is
 * longer than a replacement, so that the StatefulSet makes a new one; or has it updated in place,
 * where its node asks for that.
 *
 * <p>The StatefulSet's {@code status.currentRevision} is never looked at: under OnDelete it does
 * not advance before Kubernetes 1.37, and going back to an earlier template makes it equal to
 * {@code updateRevision} while the pod still runs another one.
 */
record ReplacePodTask(
    KubeApi api,
    NodeCaches caches,
    Vetoes vetoes,
    InPlaceUpdate inPlace,
    RestartBackOffs backOffs) {

  /** Runs the task once. */
  public TaskOutcome run(NodePass pass) {
    return fit(pass, pass.view().statefulSet())
        .then(() -> replaceStale(pass, pass.view().statefulSet().orElseThrow()));
  }

  private TaskOutcome replaceStale(NodePass pass, StatefulSet known) {
    List<Pod> pods =
        caches.podsMatching(pass.node(), known.getSpec().getSelector().getMatchLabels());
    List<Pod> doomed =
        stale(pass, known, pods).stream().filter(pod -> !PodFacts.isTerminating(pod)).toList();
    if (doomed.isEmpty()) {
      return awaitLeaving(pass, known, pods).then(() -> inPlace.resizing().back(pass));
    }
    return vetoes
        .ask(IrreversibleAct.INTERRUPT_SEID, pass)
        .then(() -> replace(pass, known, doomed));
  }

  private TaskOutcome replace(NodePass pass, StatefulSet known, List<Pod> doomed) {
    if (doomed.size() == 1
        && InPlaceUpdate.isWanted(pass, pass.stored().plan())
        && isOfOlderTarget(pass, known, doomed.get(0))) {
      // What was decided by the StatefulSet as it was just read is not asked for again.
      return inPlace.isToBeSent(pass, known, doomed.get(0))
          ? update(pass, doomed)
          : inPlace
              .pulled(pass, known, doomed.get(0))
              .then(() -> look(pass, known))
              .then(() -> update(pass, doomed));
    }
    return vetoes
        .ask(IrreversibleAct.UPDATE_POD, pass)
        .then(() -> look(pass, known).then(() -> delete(pass, doomed)));
  }

  /** Whether these pods have to go is decided by the StatefulSet as it is now. */
  private TaskOutcome look(NodePass pass, StatefulSet known) {
    pass.observed(api.get(StatefulSet.class, pass.namespace(), known.getMetadata().getName()));
    return fit(pass, pass.view().statefulSet());
  }

  /** A pod that is updated is not ended, and keeps its volume whatever becomes of the claim. */
  private TaskOutcome update(NodePass pass, List<Pod> doomed) {
    StatefulSet live = pass.view().statefulSet().orElseThrow();
    return stale(pass, live, doomed).stream()
        .findFirst()
        .flatMap(pod -> inPlace.update(pass, live, pod))
        .orElseGet(
            () -> vetoes.ask(IrreversibleAct.UPDATE_POD, pass).then(() -> delete(pass, doomed)));
  }

  private TaskOutcome delete(NodePass pass, List<Pod> doomed) {
    boolean refused = false;
    for (Pod pod : stale(pass, pass.view().statefulSet().orElseThrow(), doomed)) {
      boolean accepted = new PodDeletion(api, caches).of(pass, pod) == DeleteAnswer.ACCEPTED;
      if (accepted) {
        inPlace.recreated();
      }
      refused |= !accepted;
    }
    return refused ? PodDeletion.changed() : leaving(doomed);
  }

  /** Waits until no pod may use the volume, also where there is no pod left to delete. */
  private TaskOutcome awaitLeaving(NodePass pass, StatefulSet statefulSet, List<Pod> pods) {
    List<Pod> stale = stale(pass, statefulSet, pods);
    List<Pod> leaving =
        pods.stream().filter(pod -> stale.contains(pod) || isOfAnotherReplica(pass, pod)).toList();
    if (!leaving.isEmpty()) {
      return leaving(leaving);
    }
    List<Pod> foreign =
        pods.stream().filter(pod -> !pass.view().isOwned(pod)).filter(pod -> !isPast(pod)).toList();
    if (!foreign.isEmpty()) {
      return TaskOutcome.waitFor(
          TaskReason.FOREIGN_POD,
          "pod " + names(foreign) + " has the node's label but does not belong to its StatefulSet",
          Recheck.BACKSTOP);
    }
    return TaskOutcome.done();
  }

  /** A user scaled to more than one replica; the StatefulSet controller scales back. */
  private static boolean isOfAnotherReplica(NodePass pass, Pod pod) {
    return pass.view().isOwned(pod) && !pod.getMetadata().getName().equals(Names.pod(pass.node()));
  }

  /** The pod of a bootstrap may be there for an hour after it has ended. */
  private static boolean isPast(Pod pod) {
    return Labels.isOfBootstrap(pod) && PodFacts.hasSucceeded(pod);
  }

  private static TaskOutcome leaving(List<Pod> pods) {
    return PodDeletion.leaving(names(pods));
  }

  private List<Pod> stale(NodePass pass, StatefulSet statefulSet, List<Pod> pods) {
    return pods.stream()
        .filter(pass.view()::isOwned)
        .filter(
            pod ->
                isOfOlderTarget(pass, statefulSet, pod)
                    || backOffs.isToBeReplaced(pass.view(), pod))
        .toList();
  }

  private boolean isOfOlderTarget(NodePass pass, StatefulSet statefulSet, Pod pod) {
    String target = pass.stored().plan().target().specHash();
    String revision = statefulSet.getStatus().getUpdateRevision();
    return pass.view().isStale(pod, revision, target) || inPlace.isGivenUp(pass, pod);
  }

  /** Done if the StatefulSet can be relied on. */
  private static TaskOutcome fit(NodePass pass, Optional<StatefulSet> candidate) {
    if (candidate.isEmpty() || !isTracked(pass, candidate.get())) {
      return wait(
          TaskReason.STATEFUL_SET_CHANGED, "the StatefulSet was replaced since the plan started");
    }
    StatefulSet statefulSet = candidate.get();
    LabelSelector selector = statefulSet.getSpec().getSelector();
    if (selector == null
        || selector.getMatchLabels() == null
        || selector.getMatchLabels().isEmpty()) {
      return new TaskOutcome.Fail("the StatefulSet has no selector");
    }
    Integer replicas = statefulSet.getSpec().getReplicas();
    if (replicas != null && replicas > 1) {
      return wait(
          TaskReason.TOO_MANY_REPLICAS,
          "setting the StatefulSet's " + replicas + " replicas back to 1");
    }
    if (!isObserved(statefulSet)) {
      return wait(
          TaskReason.AWAITING_REVISION,
          "waiting for the StatefulSet controller to observe the new template");
    }
    return Objects.equals(stamp(statefulSet), pass.stored().plan().target().specHash())
        ? TaskOutcome.done()
        : wait(
            TaskReason.AWAITING_TEMPLATE, "the StatefulSet does not have the plan's template yet");
  }

  private static boolean isTracked(NodePass pass, StatefulSet statefulSet) {
    String uid = statefulSet.getMetadata().getUid();
    return pass.tracked().map(StatefulSetRef::uid).filter(uid::equals).isPresent();
  }

  private static boolean isObserved(StatefulSet statefulSet) {
    return statefulSet.getStatus() != null
        && Objects.equals(
            statefulSet.getStatus().getObservedGeneration(),
            statefulSet.getMetadata().getGeneration())
        && statefulSet.getStatus().getUpdateRevision() != null
        && !statefulSet.getStatus().getUpdateRevision().isEmpty();
  }

  private static String stamp(StatefulSet statefulSet) {
    ObjectMeta template = statefulSet.getSpec().getTemplate().getMetadata();
    return template.getAnnotations() == null
        ? null
        : template.getAnnotations().get(Annotations.SPEC_HASH);
  }

  private static TaskOutcome wait(Reason reason, String message) {
    return TaskOutcome.waitFor(reason, message, Recheck.BACKSTOP);
  }

  private static String names(List<Pod> pods) {
    return pods.stream().map(pod -> pod.getMetadata().getName()).collect(Collectors.joining(", "));
  }
}
