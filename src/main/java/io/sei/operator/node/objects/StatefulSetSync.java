package io.sei.operator.node.objects;

import static io.sei.operator.kube.ApiErrors.isConflict;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskReason;
import io.sei.operator.base.Recheck;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.kube.Applier;
import io.sei.operator.kube.Intent;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.Ownership;
import io.sei.operator.node.feature.IrreversibleAct;
import io.sei.operator.node.feature.NodeCaches;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.Vetoes;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.takeover.Adoption;
import io.sei.operator.takeover.FieldOwnership;
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
    Vetoes vetoes,
    Predicate<String> mayAdopt,
    Function<SeiNode, StatefulSet> renderer) {

  /** Finds out whose the StatefulSet is; done means it may be applied. */
  public TaskOutcome identify(NodePass pass) {
    if (pass.view().statefulSet().isEmpty()) {
      pass.observed(api.get(StatefulSet.class, pass.namespace(), Names.statefulSet(pass.node())));
    }
    // The pass ended before this if the cache has it; without its label only a live read finds it.
    if (isRefused(pass)) {
      return conflict(
          pass,
          Adoption.refusal("StatefulSet " + Names.statefulSet(pass.node()), pass.namespace()));
    }
    IdentityAction action =
        StatefulSetIdentity.decide(
            pass.node(),
            pass.stored().withStatefulSet(pass.tracked().orElse(null)),
            pass.view().statefulSet());
    return switch (action) {
      case IdentityAction.Forget _ -> unrecorded(pass);
      case IdentityAction.BeginReplacement _ when isOfEarlierNode(pass) -> unrecorded(pass);
      case IdentityAction.BeginReplacement replacement -> replace(pass, replacement.uid());
      case IdentityAction.Delete _ -> delete(pass);
      case IdentityAction.AwaitDeletion _ ->
          blocked(TaskReason.STATEFUL_SET_TERMINATING, "is being deleted", Recheck.BACKSTOP, pass);
      case IdentityAction.Conflict conflict -> inTheWay(pass, "belongs to " + conflict.owner());
      case IdentityAction.Apply _ -> TaskOutcome.done();
    };
  }

  private boolean isRefused(NodePass pass) {
    return !mayAdopt.test(pass.namespace())
        && pass.view()
            .statefulSet()
            .filter(statefulSet -> Adoption.isNeeded(pass.node(), statefulSet))
            .isPresent();
  }

  private static TaskOutcome unrecorded(NodePass pass) {
    pass.update(status -> status.withStatefulSet(null));
    return TaskOutcome.recording();
  }

  /**
   * Returns whether what the status records is of an earlier SeiNode, as after a restore from a
   * backup: the node has not marked its claim yet. What was restored with it is adopted then.
   */
  private static boolean isOfEarlierNode(NodePass pass) {
    String uid = pass.node().getMetadata().getUid();
    return pass.view()
        .claim()
        .flatMap(claim -> Annotations.of(claim, Annotations.CLAIM_OWNER_UID))
        .filter(owner -> !owner.equals(uid))
        .isPresent();
  }

  /**
   * Returns whether there is a pod of the node that waits for a StatefulSet to adopt it; read live
   * if the cache has none, which may lag behind a restore of both.
   */
  boolean hasOrphanedPod(NodePass pass) {
    NodeView view = pass.view();
    return view.pod()
        .or(() -> api.get(Pod.class, pass.namespace(), Names.pod(pass.node())))
        .filter(pod -> PodFacts.ownerUid(pod).isEmpty() && !PodFacts.isTerminating(pod))
        .flatMap(view::stampOf)
        .isPresent();
  }

  List<String> unservedFields(NodePass pass) {
    return fieldOwnership.unserved(pass.node(), SeiNodeSpec.class);
  }

  /** Finds out whose the StatefulSet is, and makes it what the node's spec says, now. */
  public TaskOutcome sync(NodePass pass) {
    return identify(pass).then(() -> syncOwn(pass, pass.view().statefulSet()));
  }

  private TaskOutcome syncOwn(NodePass pass, Optional<StatefulSet> live) {
    if (live.filter(statefulSet -> applier.isClean(intent(pass), statefulSet)).isPresent()) {
      return vetoes.ask(IrreversibleAct.START_POD, pass).then(TaskOutcome::done);
    }
    if (live.filter(statefulSet -> isOrphaned(statefulSet, pass)).isPresent()) {
      return blocked(
          TaskReason.STATEFUL_SET_ORPHANED,
          "was orphaned by the deletion of its node",
          Recheck.RACE,
          pass);
    }
    StatefulSet rendered = renderer.apply(pass.node());
    if (live.filter(statefulSet -> hasImmutableDrift(rendered, statefulSet)).isPresent()) {
      return makeAnew(pass, live.get());
    }
    live.filter(statefulSet -> Annotations.of(statefulSet, Annotations.RENDERED_HASH).isEmpty())
        .ifPresent(statefulSet -> fieldOwnership.takeOver(statefulSet, Set.of()));
    return vetoes
        .ask(IrreversibleAct.START_POD, pass)
        .then(() -> mayScale(pass, rendered, live))
        .then(() -> apply(pass, rendered, live));
  }

  /** Without replicas the StatefulSet has no pod. */
  private TaskOutcome mayScale(NodePass pass, StatefulSet rendered, Optional<StatefulSet> live) {
    boolean ends =
        Integer.valueOf(0).equals(rendered.getSpec().getReplicas())
            && live.filter(
                    statefulSet -> !Integer.valueOf(0).equals(statefulSet.getSpec().getReplicas()))
                .isPresent();
    return ends
        ? vetoes.ask(IrreversibleAct.END_POD, pass).then(TaskOutcome::done)
        : TaskOutcome.done();
  }

  /** Returns whether a StatefulSet has lost its owner because that is being deleted without it. */
  private boolean isOrphaned(StatefulSet live, NodePass pass) {
    return Ownership.of(live, pass.node()) instanceof Ownership.Unowned && api.isGoing(pass.node());
  }

  private TaskOutcome apply(NodePass pass, StatefulSet rendered, Optional<StatefulSet> live) {
    try {
      Applier.Applied<StatefulSet> applied = applier.apply(intent(pass), rendered, live);
      if (applied.changed()) {
        caches.remember(applied.object(), live);
        noteTemplateChange(pass, applied.differences());
      }
      pass.track(applied.object());
      return TaskOutcome.done();
    } catch (KubernetesClientException e) {
      if (isConflict(e)) {
        return blocked(TaskReason.STATEFUL_SET_CHANGED, "changed meanwhile", Recheck.RACE, pass);
      }
      throw e;
    }
  }

  private TaskOutcome replace(NodePass pass, String uid) {
    pass.update(status -> status.with(builder -> builder.statefulSet(null).replacing(uid)));
    return TaskOutcome.recording();
  }

  /**
   * An object that differs only in what cannot be changed is orphaned: its pod lives on. So does
   * one that is all that keeps the node's data.
   */
  private TaskOutcome delete(NodePass pass) {
    StatefulSet live = pass.view().statefulSet().orElseThrow();
    Propagation propagation =
        hasImmutableDrift(renderer.apply(pass.node()), live)
                || !vetoes.ask(IrreversibleAct.END_POD, pass).isNone()
            ? Propagation.ORPHAN
            : Propagation.BACKGROUND;
    api.delete(live, propagation, false);
    return blocked(TaskReason.STATEFUL_SET_REPLACING, "is being replaced", Recheck.BACKSTOP, pass);
  }

  /** Replaces a StatefulSet that differs in what cannot be changed, if it can take the pod over. */
  private TaskOutcome makeAnew(NodePass pass, StatefulSet live) {
    boolean adoptable =
        pass.view().pod().filter(pod -> !Labels.isOfNode(pod, pass.name())).isEmpty();
    return adoptable
        ? replace(pass, live.getMetadata().getUid())
        : inTheWay(pass, "has a selector that does not match its new pod");
  }

  private static boolean hasImmutableDrift(StatefulSet rendered, StatefulSet live) {
    return !rendered.getSpec().getServiceName().equals(live.getSpec().getServiceName())
        || !StatefulSetIdentity.hasSelector(
            live, rendered.getSpec().getSelector().getMatchLabels());
  }

  /** A change of the template that is not part of the spec hash waits for a restart. */
  private static void noteTemplateChange(NodePass pass, List<String> differences) {
    boolean sameIntent =
        pass.view()
            .livePod()
            .flatMap(pass.view()::stampOf)
            .filter(pass.view().specHash()::equals)
            .isPresent();
    if (TemplateDifferences.anyIn(differences) && sameIntent) {
      String words = TemplateDifferences.words(differences);
      pass.offer(
          NodeConditionType.RESTART_PENDING,
          ConditionProposal.yes(
              NodeReason.TEMPLATE_CHANGED,
              words.isEmpty()
                  ? "the pod runs an older template"
                  : "the pod runs an older template; it differs in " + words));
    }
  }

  private static TaskOutcome inTheWay(NodePass pass, String why) {
    return conflict(pass, "StatefulSet " + Names.statefulSet(pass.node()) + " " + why);
  }

  private static TaskOutcome conflict(NodePass pass, String message) {
    pass.conflict(message);
    return TaskOutcome.waitFor(NodeReason.CONFLICT, message, Recheck.CONFLICT);
  }

  private static TaskOutcome blocked(Reason reason, String why, Duration recheck, NodePass pass) {
    return TaskOutcome.waitFor(
        reason, "StatefulSet " + Names.statefulSet(pass.node()) + " " + why, recheck);
  }

  /**
   * The image may be that of an upgrade, a stop may end, a plan may record another signing key, and
   * what would end a pod may be put off; none of these changes a generation.
   */
  private static Intent intent(NodePass pass) {
    return Intent.of(
        pass.node(),
        pass.node().getSpec().image(),
        Boolean.TRUE.equals(pass.node().getSpec().paused()),
        pass.view().specHash(),
        Optional.ofNullable(pass.node().getStatus()).map(SeiNodeStatus::signingPublicKey));
  }
}
