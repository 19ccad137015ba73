package io.sei.operator.fleet;

import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.base.Unreadable;
import io.sei.operator.fleet.feature.Assigned;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.FleetView.Child;
import io.sei.operator.fleet.feature.TemplateAssignment;
import io.sei.operator.kube.Intent;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.kube.KubeApi.Propagation;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.ChildRenderer;
import io.sei.operator.render.ClaimRenderer;
import io.sei.operator.render.Names;
import io.sei.operator.render.SpecFields;
import io.sei.operator.takeover.FieldOwnership;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Creates, updates and deletes the nodes of a deployment: as many as its replicas, each from its
 * template.
 */
public final class Children {

  private final KubeApi api;
  private final FleetObjects objects;
  private final FieldOwnership fieldOwnership;
  private final FleetCaches caches;
  private final LostData lostData;
  private final List<FleetFeature> features;
  private final ChildRenderer renderer = new ChildRenderer();

  public Children(
      KubeApi api,
      FleetObjects objects,
      FieldOwnership fieldOwnership,
      FleetCaches caches,
      LostData lostData,
      List<FleetFeature> features) {
    this.api = api;
    this.objects = objects;
    this.fieldOwnership = fieldOwnership;
    this.caches = caches;
    this.lostData = lostData;
    this.features = features;
  }

  /**
   * Creates what is missing, applies what differs, deletes what is too much. A node that the API
   * server rejects delays no other.
   */
  public void sync(FleetPass pass) {
    FleetView view = pass.view();
    var changes = features.stream().map(feature -> feature.child(pass)).toList();
    boolean asAssigned = true;
    for (int ordinal = 0; ordinal < view.replicas(); ordinal++) {
      int wanted = ordinal;
      Optional<NodeTemplate> template = TemplateAssignment.of(view, ordinal);
      for (var change : changes) {
        template = template.map(nodeTemplate -> change.apply(nodeTemplate, wanted));
      }
      asAssigned &= template.map(nodeTemplate -> isAsIs(pass, wanted, nodeTemplate)).orElse(true);
    }
    pass.assigned(asAssigned ? Assigned.EVERY_NODE : Assigned.NOT_YET);
    List<SeiNode> surplus =
        view.children().stream()
            .filter(child -> child.ordinal() >= view.replicas())
            .sorted(Comparator.comparingInt(Child::ordinal).reversed())
            .map(Child::node)
            .filter(node -> !node.isMarkedForDeletion())
            .filter(node -> !isToOutlive(node) || !FleetNode.isAtRisk(node))
            .filter(node -> !Unreadable.isStub(node))
            .toList();
    lostData.scaledDown(pass.deployment(), surplus);
    surplus.forEach(
        node -> pass.refusals().run(() -> api.delete(node, Propagation.BACKGROUND, false)));
  }

  /** Whether the data is to be there after the node, which it is not if it goes with the pod. */
  private static boolean isToOutlive(SeiNode node) {
    return ClaimRenderer.isRetained(node) || Names.importedClaim(node).isPresent();
  }

  /** Makes a node as assigned; whether that was not refused, and its spec was so already. */
  private boolean isAsIs(FleetPass pass, int ordinal, NodeTemplate template) {
    return pass.refusals().get(() -> sync(pass, ordinal, template)).orElse(false);
  }

  private boolean sync(FleetPass pass, int ordinal, NodeTemplate template) {
    SeiNodeDeployment deployment = pass.deployment();
    String name = ChildRenderer.name(deployment, ordinal);
    Optional<SeiNode> cached =
        pass.view().child(ordinal).or(() -> caches.get(SeiNode.class, deployment, name));
    if (cached.filter(Unreadable::isStub).isPresent()) {
      return false;
    }
    boolean ready =
        objects.sync(
            pass,
            Intent.of(deployment, ordinal, template),
            () -> renderer.render(deployment, ordinal, template, cached),
            cached,
            (live, rendered) -> takeOver(deployment, live, rendered));
    return ready
        && generation(cached).equals(generation(caches.get(SeiNode.class, deployment, name)));
  }

  private static Optional<Long> generation(Optional<SeiNode> node) {
    return node.map(seiNode -> seiNode.getMetadata().getGeneration());
  }

  private void takeOver(SeiNodeDeployment deployment, SeiNode live, SeiNode rendered) {
    if (Annotations.of(live, Annotations.RENDERED_HASH).isEmpty()) {
      boolean genesis = deployment.getSpec().genesis() != null;
      fieldOwnership.takeOver(live, unknownToTemplates(rendered.getSpec(), genesis));
    }
  }

  /**
   * Fields that another operator sets on nodes although no template has them: an address on each,
   * peers on the validators of a ceremony. A pause is not among it, as it only passes on the
   * deployment's.
   */
  private static Set<String> unknownToTemplates(SeiNodeSpec rendered, boolean genesis) {
    Set<String> fields =
        SpecFields.left(rendered).map(text -> "spec." + text).collect(Collectors.toSet());
    if (genesis) {
      fields.add("spec.validator.genesisCeremony");
      // Also where they are rendered: a template that was made from a node has them, the next not.
      fields.add("spec.peers");
    }
    return fields;
  }
}
