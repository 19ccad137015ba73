package io.sei.operator.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.ControllerRevisionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.base.Unreadable;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.Revisions;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.render.ChildRenderer;
import io.sei.operator.render.FleetOwner;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.render.SpecFields;
import io.sei.operator.render.TemplateHash;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Writes the ControllerRevisions of deployments, by apply: then it is the API server that
 * serializes the data. Data is immutable and compared byte by byte, so what is stored in any other
 * way can never be patched, also not by the garbage collector which takes the owner off.
 */
public record RevisionStore(KubernetesClient client, KubeApi api, FleetCaches caches) {

  /** Number of kept revisions, as for a StatefulSet. */
  private static final int HISTORY = 10;

  /**
   * Keeps the template in force, and that of any node which is of none that is kept: then what a
   * node is can always be recreated.
   */
  public void record(FleetView view) {
    Revisions revisions = view.revisions();
    Map<String, NodeTemplate> missing = new LinkedHashMap<>();
    for (FleetView.Child child : view.children()) {
      String hash = TemplateHash.of(child.node());
      boolean asGiven = hash.equals(child.view().templateHash());
      if (asGiven && !hash.equals(view.templateHash()) && revisions.template(hash).isEmpty()) {
        missing.put(hash, ChildRenderer.templateOf(child.node()));
      }
    }
    if (!revisions.has(view.templateHash(), view.template())) {
      missing.put(view.templateHash(), view.template());
    }
    if (revisions.template(view.target()).isEmpty()) {
      view.template(view.target()).ifPresent(template -> missing.put(view.target(), template));
    }
    long number = revisions.next();
    for (Map.Entry<String, NodeTemplate> template : missing.entrySet()) {
      var revision = new ControllerRevision();
      revision.setRevision(number++);
      revision.setData(
          Map.of(
              "template",
              client
                  .getKubernetesSerialization()
                  .convertValue(SpecFields.versioned(template.getValue()), JsonNode.class)));
      write(view.deployment(), template.getKey(), revision);
    }
  }

  /**
   * Takes over the revisions that a deleted deployment of the same name left behind: each is
   * written again, under a name of this deployment, before it is deleted.
   */
  public void takeOver(SeiNodeDeployment deployment, Revisions revisions) {
    revisions
        .inherited(deployment)
        .forEach(
            (name, revision) -> {
              write(deployment, Revisions.hash(revision), revision);
              api.delete(revision, Propagation.BACKGROUND, false);
            });
  }

  /** Deletes revisions to which no rollback leads. */
  public void prune(FleetView view) {
    if (!view.revisions().inherited(view.deployment()).isEmpty()) {
      // Of two that are the same one is about to go.
      return;
    }
    if (view.children().stream().anyMatch(child -> Unreadable.isStub(child.node()))) {
      // Which one a node needs that cannot be read is unknown.
      return;
    }
    Set<String> needed = new HashSet<>();
    needed.add(view.templateHash());
    needed.add(view.stored().completedTemplateHash());
    needed.add(view.stored().failedTemplateHash());
    needed.add(view.target());
    view.children().forEach(child -> needed.add(child.view().templateHash()));
    for (ControllerRevision revision : view.revisions().superfluous(needed, HISTORY)) {
      api.delete(revision, Propagation.BACKGROUND, false);
    }
  }

  private void write(SeiNodeDeployment deployment, String hash, ControllerRevision content) {
    String name = Names.revision(deployment, hash, content.getRevision());
    ControllerRevision revision =
        new ControllerRevisionBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace(deployment.getMetadata().getNamespace())
            .addToLabels(Labels.NODE_DEPLOYMENT, deployment.getMetadata().getName())
            .addToLabels(Labels.REVISION, hash)
            .withOwnerReferences(FleetOwner.reference(deployment))
            .endMetadata()
            .withRevision(content.getRevision())
            .withData(content.getData())
            .build();
    caches.remember(
        api.applyUnforced(revision, SeiNodeDeploymentReconciler.NAME), Optional.empty());
  }
}
