package io.sei.operator.fleet.feature;

import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.Rollout;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.render.ChildRenderer;
import io.sei.operator.render.SpecFields;
import java.util.Optional;

/** Which template each node of a deployment is to have now. */
public final class Assignment {

  private Assignment() {}

  /**
   * Returns the template for the node with an ordinal. Empty if the node stays as it is, because
   * its previous template is not kept.
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
    Optional<NodeTemplate> kept =
        view.revisions().template(hash).map(version -> SpecFields.given(version, view.template()));
    return kept.isPresent() || child.isPresent() ? kept : Optional.of(view.template());
  }

  /** A node keeps what it has until a rollout admits it. */
  private static String ofPresent(FleetView view, FleetNode node) {
    Rollout rollout = view.stored().rollout();
    return rollout != null && rollout.isAdmitted(node.name())
        ? rollout.targetHash()
        : node.templateHash();
  }

  /**
   * A node that is recreated in the middle of a rollout comes back as it was; one that is new
   * starts with what the others are brought to.
   */
  private static String ofMissing(FleetView view, int ordinal) {
    Rollout rollout = view.stored().rollout();
    String completed = view.stored().templateHash();
    String name = ChildRenderer.name(view.deployment(), ordinal);
    boolean waiting =
        rollout != null && rollout.node(name).isPresent() && !rollout.isAdmitted(name);
    boolean kept = view.pausesRollouts() || ordinal < view.limits().partition() || waiting;
    if (kept && completed != null) {
      return completed;
    }
    return rollout == null ? view.target() : rollout.targetHash();
  }
}
