package io.sei.operator.fleet.feature;

import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.render.ChildRenderer;
import io.sei.operator.render.SpecFields;
import java.util.Optional;

/**
 * Decides which template each node of a fleet has now: that of its own revision, of the last
 * completed rollout, or of the target of the rollout in progress.
 */
public final class TemplateAssignment {

  private TemplateAssignment() {}

  /**
   * Returns the template for the node with an ordinal. Empty if the node exists and the revision of
   * its template is gone: the caller leaves the node as it is. A missing node without a revision
   * gets the fleet's present template.
   */
  public static Optional<NodeTemplate> of(FleetView view, int ordinal) {
    Optional<SeiNode> child = view.child(ordinal);
    String hash =
        child
            .map(node -> ofPresent(view, FleetNode.of(node, ordinal)))
            .orElseGet(() -> ofMissing(view, ordinal));
    if (hash.equals(view.templateHash())) {
      return Optional.of(view.template());
    }
    Optional<NodeTemplate> revision =
        view.revisions()
            .template(hash)
            .map(version -> SpecFields.withUnversionedFields(version, view.template()));
    return revision.isPresent() || child.isPresent() ? revision : Optional.of(view.template());
  }

  /** A node keeps what it has until a rollout admits it. */
  private static String ofPresent(FleetView view, FleetNode node) {
    Rollout rollout = view.stored().rollout();
    return rollout != null && rollout.isAdmitted(node.name())
        ? rollout.targetHash()
        : node.templateHash();
  }

  /**
   * A missing node gets the last completed template while rollouts are paused, its ordinal is below
   * the partition, or the rollout has not admitted it yet. Otherwise it gets the rollout's target.
   */
  private static String ofMissing(FleetView view, int ordinal) {
    Rollout rollout = view.stored().rollout();
    String completed = view.stored().completedTemplateHash();
    String name = ChildRenderer.name(view.deployment(), ordinal);
    boolean waiting =
        rollout != null && rollout.node(name).isPresent() && !rollout.isAdmitted(name);
    boolean keepsCompleted =
        view.pausesRollouts() || ordinal < view.limits().partition() || waiting;
    if (keepsCompleted && completed != null) {
      return completed;
    }
    return rollout == null ? view.target() : rollout.targetHash();
  }
}
