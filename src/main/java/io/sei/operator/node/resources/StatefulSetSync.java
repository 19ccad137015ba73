package io.sei.operator.node.resources;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.kube.Applier;
import io.sei.operator.kube.FieldOwnership;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.SettledObjects;
import io.sei.operator.node.model.NodeCaches;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.SyncResult;
import io.sei.operator.node.signing.SigningKeyGuard;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Carries out what {@link StatefulSetIdentity} decides, and keeps the StatefulSet as rendered. */
public final class StatefulSetSync {

  /** Nothing announces that a foreign object is gone, as it is not in the caches. */
  private static final Duration CONFLICT_RECHECK = Duration.ofSeconds(30);

  /** A backstop: the deletion of an object of ours is announced by its watch. */
  private static final Duration DELETION_RECHECK = Duration.ofSeconds(10);

  private static final Duration RACE_RECHECK = Duration.ofSeconds(1);

  private final KubeApi api;
  private final Applier applier;
  private final FieldOwnership fieldOwnership;
  private final NodeCaches caches;
  private final SigningKeyGuard signingKeys;
  private final ClaimGuard claims;
  private final SettledObjects settled;
  private final Function<SeiNode, StatefulSet> renderer;

  public StatefulSetSync(
      KubeApi api,
      Applier applier,
      FieldOwnership fieldOwnership,
      NodeCaches caches,
      SigningKeyGuard signingKeys,
      ClaimGuard claims,
      SettledObjects settled,
      Function<SeiNode, StatefulSet> renderer) {
    this.api = api;
    this.applier = applier;
    this.fieldOwnership = fieldOwnership;
    this.caches = caches;
    this.signingKeys = signingKeys;
    this.claims = claims;
    this.settled = settled;
    this.renderer = renderer;
  }

  /** Settles whose the StatefulSet is; {@code Ready} means it may be applied. */
  public SyncResult identify(NodeReconcile reconcile) {
    if (reconcile.statefulSet().isEmpty()) {
      reconcile.observed(
          api.get(StatefulSet.class, reconcile.namespace(), Names.statefulSet(reconcile.node())));
    }
    IdentityAction action =
        StatefulSetIdentity.decide(reconcile.node(), reconcile.status(), reconcile.statefulSet());
    if (action instanceof IdentityAction.Forget) {
      reconcile.update(status -> status.withStatefulSet(null));
      return new SyncResult.Persist();
    }
    if (action instanceof IdentityAction.BeginReplacement replacement) {
      return replace(reconcile, replacement.uid());
    }
    if (action instanceof IdentityAction.Delete) {
      return delete(reconcile);
    }
    if (action instanceof IdentityAction.AwaitDeletion) {
      return blocked("StatefulSetTerminating", "is being deleted", DELETION_RECHECK, reconcile);
    }
    if (action instanceof IdentityAction.Conflict conflict) {
      return conflict(reconcile, "belongs to " + conflict.owner());
    }
    return new SyncResult.Ready();
  }

  /** Settles whose the StatefulSet is and makes it what the node's spec says, now. */
  public SyncResult sync(NodeReconcile reconcile) {
    SyncResult identity = identify(reconcile);
    if (!(identity instanceof SyncResult.Ready)) {
      return identity;
    }
    Optional<StatefulSet> live = reconcile.statefulSet();
    var owner = ResourceID.fromResource(reconcile.node());
    var intent = SettledObjects.Intent.of(reconcile.node());
    if (live.isPresent() && settled.contains(owner, intent, live.get())) {
      return signingKeys.check(reconcile);
    }
    StatefulSet rendered = renderer.apply(reconcile.node());
    if (live.isPresent()) {
      Optional<SyncResult> drift = immutableDrift(reconcile, rendered, live.get());
      if (drift.isPresent()) {
        return drift.get();
      }
      if (!isApplied(live.get())) {
        fieldOwnership.takeOver(live.get(), Set.of());
      }
    }
    SyncResult permission = claims.check(reconcile);
    if (permission instanceof SyncResult.Ready) {
      permission = signingKeys.check(reconcile);
    }
    if (!(permission instanceof SyncResult.Ready)) {
      return permission;
    }
    try {
      Applier.Applied<StatefulSet> applied = applier.apply(rendered, live);
      if (applied.changed()) {
        caches.remember(applied.object(), live);
        noteTemplateChange(reconcile, applied.differences());
      } else {
        settled.add(owner, intent, applied.object());
      }
      reconcile.track(applied.object());
      return new SyncResult.Ready();
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_CONFLICT) {
        return blocked("StatefulSetChanged", "changed meanwhile", RACE_RECHECK, reconcile);
      }
      throw e;
    }
  }

  private SyncResult replace(NodeReconcile reconcile, String uid) {
    reconcile.update(status -> status.with(it -> it.statefulSet(null).replacing(uid)));
    return new SyncResult.Persist();
  }

  /** An object that differs only in what cannot be changed is orphaned: its pod lives on. */
  private SyncResult delete(NodeReconcile reconcile) {
    StatefulSet live = reconcile.statefulSet().orElseThrow();
    Propagation propagation =
        hasImmutableDrift(renderer.apply(reconcile.node()), live)
            ? Propagation.ORPHAN
            : Propagation.BACKGROUND;
    api.delete(live, propagation, false);
    return blocked("StatefulSetReplacing", "is being replaced", DELETION_RECHECK, reconcile);
  }

  private Optional<SyncResult> immutableDrift(
      NodeReconcile reconcile, StatefulSet rendered, StatefulSet live) {
    if (!hasImmutableDrift(rendered, live)) {
      return Optional.empty();
    }
    Map<String, String> selector = Labels.selector(reconcile.name());
    boolean adoptable =
        reconcile
            .snapshot()
            .pod()
            .map(Pod::getMetadata)
            .map(pod -> pod.getLabels().entrySet().containsAll(selector.entrySet()))
            .orElse(true);
    return Optional.of(
        adoptable
            ? replace(reconcile, live.getMetadata().getUid())
            : conflict(reconcile, "has a selector its new pod would not match"));
  }

  private static boolean hasImmutableDrift(StatefulSet rendered, StatefulSet live) {
    return !rendered.getSpec().getServiceName().equals(live.getSpec().getServiceName())
        || !StatefulSetIdentity.hasSelector(
            live, rendered.getSpec().getSelector().getMatchLabels());
  }

  private static boolean isApplied(StatefulSet live) {
    Map<String, String> annotations = live.getMetadata().getAnnotations();
    return annotations != null && annotations.containsKey(Annotations.RENDERED_HASH);
  }

  /** What changes a running pod's template but is not the user's doing waits for a restart. */
  private static void noteTemplateChange(NodeReconcile reconcile, List<String> differences) {
    List<String> template =
        differences.stream().filter(path -> path.startsWith("spec.template")).toList();
    boolean sameIntent =
        reconcile
            .snapshot()
            .livePod()
            .flatMap(reconcile.snapshot()::stampOf)
            .filter(reconcile.snapshot().specHash()::equals)
            .isPresent();
    if (!template.isEmpty() && sameIntent) {
      reconcile.condition(
          NodeConditionType.RESTART_PENDING,
          ConditionStatus.TRUE,
          NodeReason.TEMPLATE_CHANGED,
          "the pod runs with an older template; differs in " + String.join(", ", template));
    }
  }

  private static SyncResult conflict(NodeReconcile reconcile, String why) {
    String message = "StatefulSet " + Names.statefulSet(reconcile.node()) + " " + why;
    reconcile.conflict(message);
    return new SyncResult.Blocked(NodeReason.CONFLICT.toString(), message, CONFLICT_RECHECK);
  }

  private static SyncResult blocked(
      String reason, String why, Duration recheck, NodeReconcile reconcile) {
    return new SyncResult.Blocked(
        reason, "StatefulSet " + Names.statefulSet(reconcile.node()) + " " + why, recheck);
  }
}
