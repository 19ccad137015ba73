package io.sei.operator.node.rollout;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.DeleteAnswer;
import io.sei.operator.node.model.Deed;
import io.sei.operator.node.model.NodeCaches;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.Permits;
import io.sei.operator.node.model.PodDeletion;
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
    Permits permits,
    InPlaceUpdate inPlace,
    RestartBackOffs backOffs) {

  /** Runs the task once. */
  public TaskOutcome run(NodeReconcile reconcile) {
    return fit(reconcile, reconcile.snapshot().statefulSet())
        .then(() -> replaceStale(reconcile, reconcile.snapshot().statefulSet().orElseThrow()));
  }

  private TaskOutcome replaceStale(NodeReconcile reconcile, StatefulSet known) {
    List<Pod> pods =
        caches.podsMatching(reconcile.node(), known.getSpec().getSelector().getMatchLabels());
    List<Pod> doomed =
        stale(reconcile, known, pods).stream().filter(pod -> !PodFacts.isTerminating(pod)).toList();
    if (doomed.isEmpty()) {
      return awaitLeaving(reconcile, known, pods).then(() -> inPlace.resizing().back(reconcile));
    }
    if (doomed.size() == 1
        && InPlaceUpdate.isWanted(reconcile)
        && isOfOlderTarget(reconcile, known, doomed.get(0))) {
      // What was decided by the StatefulSet as it was just read is not asked for again.
      return inPlace.isToBeSent(reconcile, known, doomed.get(0))
          ? update(reconcile, doomed)
          : inPlace
              .pulled(reconcile, known, doomed.get(0))
              .then(() -> look(reconcile, known))
              .then(() -> update(reconcile, doomed));
    }
    return permits
        .ask(Deed.UPDATE_POD, reconcile)
        .then(() -> look(reconcile, known).then(() -> delete(reconcile, doomed)));
  }

  /** Whether these pods have to go is decided by the StatefulSet as it is now. */
  private TaskOutcome look(NodeReconcile reconcile, StatefulSet known) {
    reconcile.observed(
        api.get(StatefulSet.class, reconcile.namespace(), known.getMetadata().getName()));
    return fit(reconcile, reconcile.snapshot().statefulSet());
  }

  /** A pod that is updated is not ended, and keeps its volume whatever becomes of the claim. */
  private TaskOutcome update(NodeReconcile reconcile, List<Pod> doomed) {
    StatefulSet live = reconcile.snapshot().statefulSet().orElseThrow();
    return stale(reconcile, live, doomed).stream()
        .findFirst()
        .flatMap(pod -> inPlace.update(reconcile, live, pod))
        .orElseGet(
            () -> permits.ask(Deed.UPDATE_POD, reconcile).then(() -> delete(reconcile, doomed)));
  }

  private TaskOutcome delete(NodeReconcile reconcile, List<Pod> doomed) {
    boolean refused = false;
    for (Pod pod : stale(reconcile, reconcile.snapshot().statefulSet().orElseThrow(), doomed)) {
      boolean accepted = new PodDeletion(api, caches).of(reconcile, pod) == DeleteAnswer.ACCEPTED;
      if (accepted) {
        inPlace.recreated();
      }
      refused |= !accepted;
    }
    return refused ? PodDeletion.changed() : leaving(doomed);
  }

  /** Nothing is left to delete: is everything that may not use the volume really gone? */
  private TaskOutcome awaitLeaving(
      NodeReconcile reconcile, StatefulSet statefulSet, List<Pod> pods) {
    List<Pod> stale = stale(reconcile, statefulSet, pods);
    List<Pod> leaving =
        pods.stream()
            .filter(pod -> stale.contains(pod) || isOfAnotherReplica(reconcile, pod))
            .toList();
    if (!leaving.isEmpty()) {
      return leaving(leaving);
    }
    List<Pod> foreign =
        pods.stream()
            .filter(pod -> !reconcile.snapshot().isOwned(pod))
            .filter(pod -> !isPast(pod))
            .toList();
    if (!foreign.isEmpty()) {
      return TaskOutcome.waitFor(
          "ForeignPod",
          "pod " + names(foreign) + " has the node's label but does not belong to its StatefulSet",
          Recheck.BACKSTOP);
    }
    return TaskOutcome.done();
  }

  /** A user scaled to more than one replica; the StatefulSet controller scales back. */
  private static boolean isOfAnotherReplica(NodeReconcile reconcile, Pod pod) {
    return reconcile.snapshot().isOwned(pod)
        && !pod.getMetadata().getName().equals(Names.pod(reconcile.node()));
  }

  /** The pod of a bootstrap may be there for an hour after it has ended. */
  private static boolean isPast(Pod pod) {
    return Labels.isOfBootstrap(pod) && "Succeeded".equals(pod.getStatus().getPhase());
  }

  private static TaskOutcome leaving(List<Pod> pods) {
    return PodDeletion.leaving(names(pods));
  }

  private List<Pod> stale(NodeReconcile reconcile, StatefulSet statefulSet, List<Pod> pods) {
    return pods.stream()
        .filter(reconcile.snapshot()::isOwned)
        .filter(
            pod ->
                isOfOlderTarget(reconcile, statefulSet, pod)
                    || backOffs.isToBeReplaced(reconcile.snapshot(), pod))
        .toList();
  }

  private boolean isOfOlderTarget(NodeReconcile reconcile, StatefulSet statefulSet, Pod pod) {
    String target = reconcile.status().plan().target().specHash();
    String revision = statefulSet.getStatus().getUpdateRevision();
    return reconcile.snapshot().isStale(pod, revision, target) || inPlace.isGivenUp(reconcile, pod);
  }

  /** Done if the StatefulSet can be relied on. */
  private static TaskOutcome fit(NodeReconcile reconcile, Optional<StatefulSet> candidate) {
    if (candidate.isEmpty() || !isTracked(reconcile, candidate.get())) {
      return wait("StatefulSetChanged", "the StatefulSet was replaced since the plan started");
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
          "TooManyReplicas", "setting the StatefulSet's " + replicas + " replicas back to 1");
    }
    if (!isObserved(statefulSet)) {
      return wait(
          "AwaitingRevision", "waiting for the StatefulSet controller to observe the new template");
    }
    return Objects.equals(stamp(statefulSet), reconcile.status().plan().target().specHash())
        ? TaskOutcome.done()
        : wait("AwaitingTemplate", "the StatefulSet does not have the plan's template yet");
  }

  private static boolean isTracked(NodeReconcile reconcile, StatefulSet statefulSet) {
    return reconcile.status().statefulSet() != null
        && statefulSet.getMetadata().getUid().equals(reconcile.status().statefulSet().uid());
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

  private static TaskOutcome wait(String reason, String message) {
    return TaskOutcome.waitFor(reason, message, Recheck.BACKSTOP);
  }

  private static String names(List<Pod> pods) {
    return pods.stream().map(pod -> pod.getMetadata().getName()).collect(Collectors.joining(", "));
  }
}
