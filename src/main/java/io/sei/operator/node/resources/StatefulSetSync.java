package io.sei.operator.node.resources;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.Applier;
import io.sei.operator.kube.Intent;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.Ownership;
import io.sei.operator.node.model.Deed;
import io.sei.operator.node.model.NodeCaches;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.Permits;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.takeover.Adoption;
import io.sei.operator.takeover.FieldOwnership;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Carries out what {@link StatefulSetIdentity} decides, and keeps the StatefulSet as rendered.
 *
 * @param mayAdopt returns whether what another operator made may be adopted in a namespace
 */
public record StatefulSetSync(
    KubeApi api,
    Applier applier,
    FieldOwnership fieldOwnership,
    NodeCaches caches,
    Permits permits,
    Predicate<String> mayAdopt,
    Function<SeiNode, StatefulSet> renderer) {

  /** Finds out whose the StatefulSet is; done means it may be applied. */
  public TaskOutcome identify(NodeReconcile reconcile) {
    if (reconcile.snapshot().statefulSet().isEmpty()) {
      reconcile.observed(
          api.get(StatefulSet.class, reconcile.namespace(), Names.statefulSet(reconcile.node())));
    }
    // The pass ended before this if the cache has it; without its label only a live read finds it.
    if (isRefused(reconcile)) {
      return conflict(
          reconcile,
          Adoption.refusal(
              "StatefulSet " + Names.statefulSet(reconcile.node()), reconcile.namespace()));
    }
    IdentityAction action =
        StatefulSetIdentity.decide(
            reconcile.node(), reconcile.status(), reconcile.snapshot().statefulSet());
    return switch (action) {
      case IdentityAction.Forget _ -> unrecorded(reconcile);
      case IdentityAction.BeginReplacement _ when isOfEarlierNode(reconcile) ->
          unrecorded(reconcile);
      case IdentityAction.BeginReplacement replacement -> replace(reconcile, replacement.uid());
      case IdentityAction.Delete _ -> delete(reconcile);
      case IdentityAction.AwaitDeletion _ ->
          blocked("StatefulSetTerminating", "is being deleted", Recheck.BACKSTOP, reconcile);
      case IdentityAction.Conflict conflict ->
          inTheWay(reconcile, "belongs to " + conflict.owner());
      case IdentityAction.Apply _ -> TaskOutcome.done();
    };
  }

  private boolean isRefused(NodeReconcile reconcile) {
    return !mayAdopt.test(reconcile.namespace())
        && reconcile
            .snapshot()
            .statefulSet()
            .filter(it -> Adoption.isNeeded(reconcile.node(), it))
            .isPresent();
  }

  private static TaskOutcome unrecorded(NodeReconcile reconcile) {
    reconcile.update(status -> status.withStatefulSet(null));
    return TaskOutcome.recording();
  }

  /**
   * Whether what the status records is of an earlier SeiNode, as after a restore from a backup: the
   * node has not marked its claim yet. What was restored with it is adopted then.
   */
  private static boolean isOfEarlierNode(NodeReconcile reconcile) {
    String uid = reconcile.node().getMetadata().getUid();
    return reconcile
        .snapshot()
        .claim()
        .flatMap(claim -> Annotations.of(claim, Annotations.CLAIM_OWNER_UID))
        .filter(owner -> !owner.equals(uid))
        .isPresent();
  }

  /**
   * Whether there is a pod of the node that waits for a StatefulSet to adopt it; read live if the
   * cache has none, which may lag behind a restore of both.
   */
  boolean hasOrphanedPod(NodeReconcile reconcile) {
    NodeSnapshot snapshot = reconcile.snapshot();
    return snapshot
        .pod()
        .or(() -> api.get(Pod.class, reconcile.namespace(), Names.pod(reconcile.node())))
        .filter(pod -> PodFacts.ownerUid(pod).isEmpty() && !PodFacts.isTerminating(pod))
        .flatMap(snapshot::stampOf)
        .isPresent();
  }

  List<String> unservedFields(NodeReconcile reconcile) {
    return fieldOwnership.unserved(reconcile.node(), SeiNodeSpec.class);
  }

  /** Finds out whose the StatefulSet is, and makes it what the node's spec says, now. */
  public TaskOutcome sync(NodeReconcile reconcile) {
    return identify(reconcile).then(() -> syncOwn(reconcile, reconcile.snapshot().statefulSet()));
  }

  private TaskOutcome syncOwn(NodeReconcile reconcile, Optional<StatefulSet> live) {
    if (live.filter(it -> applier.isClean(intent(reconcile), it)).isPresent()) {
      return permits.ask(Deed.START_POD, reconcile).then(TaskOutcome::done);
    }
    if (live.filter(it -> isOrphaned(it, reconcile)).isPresent()) {
      return blocked(
          "StatefulSetOrphaned",
          "was orphaned by the deletion of its node",
          Recheck.RACE,
          reconcile);
    }
    StatefulSet rendered = renderer.apply(reconcile.node());
    if (live.filter(it -> hasImmutableDrift(rendered, it)).isPresent()) {
      return makeAnew(reconcile, live.get());
    }
    live.filter(it -> Annotations.of(it, Annotations.RENDERED_HASH).isEmpty())
        .ifPresent(it -> fieldOwnership.takeOver(it, Set.of()));
    return permits
        .ask(Deed.START_POD, reconcile)
        .then(() -> mayScale(reconcile, rendered, live))
        .then(() -> apply(reconcile, rendered, live));
  }

  /** Without replicas the StatefulSet has no pod. */
  private TaskOutcome mayScale(
      NodeReconcile reconcile, StatefulSet rendered, Optional<StatefulSet> live) {
    boolean ends =
        Integer.valueOf(0).equals(rendered.getSpec().getReplicas())
            && live.filter(it -> !Integer.valueOf(0).equals(it.getSpec().getReplicas()))
                .isPresent();
    return ends ? permits.ask(Deed.END_POD, reconcile).then(TaskOutcome::done) : TaskOutcome.done();
  }

  /** Whether a StatefulSet has lost its owner because that is being deleted without it. */
  private boolean isOrphaned(StatefulSet live, NodeReconcile reconcile) {
    return Ownership.of(live, reconcile.node()) instanceof Ownership.Nobodys
        && api.isGoing(reconcile.node());
  }

  private TaskOutcome apply(
      NodeReconcile reconcile, StatefulSet rendered, Optional<StatefulSet> live) {
    try {
      Applier.Applied<StatefulSet> applied = applier.apply(intent(reconcile), rendered, live);
      if (applied.changed()) {
        caches.remember(applied.object(), live);
        noteTemplateChange(reconcile, applied.differences());
      }
      reconcile.track(applied.object());
      return TaskOutcome.done();
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return blocked("StatefulSetChanged", "changed meanwhile", Recheck.RACE, reconcile);
      }
      throw e;
    }
  }

  private TaskOutcome replace(NodeReconcile reconcile, String uid) {
    reconcile.update(status -> status.with(it -> it.statefulSet(null).replacing(uid)));
    return TaskOutcome.recording();
  }

  /**
   * An object that differs only in what cannot be changed is orphaned: its pod lives on. So does
   * one that is all that keeps the node's data.
   */
  private TaskOutcome delete(NodeReconcile reconcile) {
    StatefulSet live = reconcile.snapshot().statefulSet().orElseThrow();
    Propagation propagation =
        hasImmutableDrift(renderer.apply(reconcile.node()), live)
                || !permits.ask(Deed.END_POD, reconcile).isGiven()
            ? Propagation.ORPHAN
            : Propagation.BACKGROUND;
    api.delete(live, propagation, false);
    return blocked("StatefulSetReplacing", "is being replaced", Recheck.BACKSTOP, reconcile);
  }

  /** Replaces a StatefulSet that differs in what cannot be changed, if it can take the pod over. */
  private TaskOutcome makeAnew(NodeReconcile reconcile, StatefulSet live) {
    boolean adoptable =
        reconcile.snapshot().pod().filter(pod -> !Labels.isOfNode(pod, reconcile.name())).isEmpty();
    return adoptable
        ? replace(reconcile, live.getMetadata().getUid())
        : inTheWay(reconcile, "has a selector that does not match its new pod");
  }

  private static boolean hasImmutableDrift(StatefulSet rendered, StatefulSet live) {
    return !rendered.getSpec().getServiceName().equals(live.getSpec().getServiceName())
        || !StatefulSetIdentity.hasSelector(
            live, rendered.getSpec().getSelector().getMatchLabels());
  }

  /** What changes a running pod's template but is not the user's doing waits for a restart. */
  private static void noteTemplateChange(NodeReconcile reconcile, List<String> differences) {
    boolean sameIntent =
        reconcile
            .snapshot()
            .livePod()
            .flatMap(reconcile.snapshot()::stampOf)
            .filter(reconcile.snapshot().specHash()::equals)
            .isPresent();
    if (TemplateDifferences.anyIn(differences) && sameIntent) {
      String words = TemplateDifferences.words(differences);
      reconcile.offer(
          NodeConditionType.RESTART_PENDING,
          Verdict.yes(
              NodeReason.TEMPLATE_CHANGED,
              words.isEmpty()
                  ? "the pod runs an older template"
                  : "the pod runs an older template; it differs in " + words));
    }
  }

  private static TaskOutcome inTheWay(NodeReconcile reconcile, String why) {
    return conflict(reconcile, "StatefulSet " + Names.statefulSet(reconcile.node()) + " " + why);
  }

  private static TaskOutcome conflict(NodeReconcile reconcile, String message) {
    reconcile.conflict(message);
    return TaskOutcome.waitFor(NodeReason.CONFLICT, message, Recheck.CONFLICT);
  }

  private static TaskOutcome blocked(
      String reason, String why, Duration recheck, NodeReconcile reconcile) {
    return TaskOutcome.waitFor(
        reason, "StatefulSet " + Names.statefulSet(reconcile.node()) + " " + why, recheck);
  }

  /**
   * The image may be that of an upgrade, a stop may end, a plan may record another signing key, and
   * what would end a pod may be put off; none of these changes a generation.
   */
  private static Intent intent(NodeReconcile reconcile) {
    return Intent.of(
        reconcile.node(),
        reconcile.node().getSpec().image(),
        Boolean.TRUE.equals(reconcile.node().getSpec().paused()),
        reconcile.snapshot().specHash(),
        Optional.ofNullable(reconcile.node().getStatus()).map(SeiNodeStatus::signingPublicKey));
  }
}
