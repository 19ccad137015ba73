package io.sei.operator.fleet;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.fleet.model.Assignment;
import io.sei.operator.fleet.model.FleetReconcile;
import io.sei.operator.fleet.model.FleetSnapshot;
import io.sei.operator.fleet.model.FleetSnapshot.Child;
import io.sei.operator.kube.Applier;
import io.sei.operator.kube.FieldOwnership;
import io.sei.operator.kube.Intent;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.kube.Ownership;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.ChildRenderer;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Makes the nodes of a deployment what they are to be: as many as wanted, each of its template. */
public final class Children {

  /** Nothing announces that a foreign node is gone. */
  private static final Duration CONFLICT_RECHECK = Duration.ofSeconds(30);

  private static final Duration RACE_RECHECK = Duration.ofSeconds(1);

  private final KubeApi api;
  private final Applier applier;
  private final FieldOwnership fieldOwnership;
  private final FleetCaches caches;
  private final ChildRenderer renderer = new ChildRenderer();

  public Children(KubeApi api, Applier applier, FieldOwnership fieldOwnership, FleetCaches caches) {
    this.api = api;
    this.applier = applier;
    this.fieldOwnership = fieldOwnership;
    this.caches = caches;
  }

  /**
   * Creates what is missing, applies what differs, deletes what is too much. A node that the API
   * server refuses holds up no other.
   */
  public void sync(FleetReconcile reconcile) {
    FleetSnapshot snapshot = reconcile.snapshot();
    for (int ordinal = 0; ordinal < snapshot.replicas(); ordinal++) {
      Optional<NodeTemplate> template = Assignment.of(snapshot, ordinal);
      if (template.isPresent()) {
        int wanted = ordinal;
        reconcile.refusals().run(() -> apply(reconcile, wanted, template.get()));
      }
    }
    snapshot.children().stream()
        .filter(child -> child.ordinal() >= snapshot.replicas())
        .filter(child -> !child.node().isMarkedForDeletion())
        .sorted(Comparator.comparingInt(Child::ordinal).reversed())
        .forEach(
            child ->
                reconcile
                    .refusals()
                    .run(() -> api.delete(child.node(), Propagation.BACKGROUND, false)));
  }

  /** Forgets what is known of the nodes of a deployment that is gone. */
  public void forget(ResourceID deployment) {
    applier.forget(deployment);
  }

  private void apply(FleetReconcile reconcile, int ordinal, NodeTemplate template) {
    var intent = Intent.of(reconcile.deployment(), ordinal, template);
    boolean inSync =
        reconcile
            .snapshot()
            .child(ordinal)
            .filter(child -> applier.isClean(intent, child))
            .isPresent();
    if (inSync) {
      return;
    }
    SeiNode rendered = renderer.render(reconcile.deployment(), ordinal, template);
    Optional<SeiNode> live = find(reconcile, rendered, ordinal);
    if (live.isPresent()) {
      if (!FleetObserver.isOwn(live.get(), reconcile.deployment())) {
        reconcile.conflict(
            "SeiNode " + rendered.getMetadata().getName() + " belongs to " + owner(live.get()));
        reconcile.recheckAfter(CONFLICT_RECHECK);
        return;
      }
      if (live.get().isMarkedForDeletion()) {
        return;
      }
      takeOver(reconcile, live.get(), rendered);
    }
    try {
      Applier.Applied<SeiNode> applied = applier.apply(intent, rendered, live);
      if (applied.changed()) {
        caches.remember(applied.object(), live);
      }
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw e;
      }
      reconcile.recheckAfter(RACE_RECHECK);
    }
  }

  /** The node as cached, or live, for one that is not labelled is in no cache. */
  private Optional<SeiNode> find(FleetReconcile reconcile, SeiNode rendered, int ordinal) {
    String name = rendered.getMetadata().getName();
    return reconcile
        .snapshot()
        .child(ordinal)
        .or(() -> caches.node(reconcile.deployment(), name))
        .or(() -> api.get(SeiNode.class, rendered.getMetadata().getNamespace(), name));
  }

  private void takeOver(FleetReconcile reconcile, SeiNode live, SeiNode rendered) {
    Map<String, String> annotations = live.getMetadata().getAnnotations();
    if (annotations == null || !annotations.containsKey(Annotations.RENDERED_HASH)) {
      boolean genesis = reconcile.deployment().getSpec().genesis() != null;
      fieldOwnership.takeOver(live, unknownToTemplates(rendered.getSpec(), genesis));
    }
  }

  /**
   * What the Go operator gives to nodes though no template says it: an address to each, peers to
   * the validators of a ceremony. A pause is not among it, as it only passes on the deployment's.
   */
  private static Set<String> unknownToTemplates(SeiNodeSpec rendered, boolean genesis) {
    var fields = new HashSet<String>();
    if (rendered.externalAddress() == null) {
      fields.add("spec.externalAddress");
    }
    if (genesis) {
      fields.add("spec.validator.genesisCeremony");
      // Also where they are rendered: a template that was made from a node has them, the next not.
      fields.add("spec.peers");
    }
    return fields;
  }

  private static String owner(SeiNode node) {
    return Ownership.controller(node)
        .map(owner -> owner.getKind() + "/" + owner.getName())
        .orElse("nobody and lacks this fleet's labels");
  }
}
