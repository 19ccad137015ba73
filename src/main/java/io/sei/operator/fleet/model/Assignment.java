package io.sei.operator.fleet.model;

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
   * The template for the node with an ordinal. Empty if the node is to be left as it is, because
   * what it was made from is not kept.
   */
  public static Optional<NodeTemplate> of(FleetSnapshot snapshot, int ordinal) {
    Optional<SeiNode> child = snapshot.child(ordinal);
    String hash =
        child
            .map(node -> ofPresent(snapshot, FleetNode.of(node, ordinal)))
            .orElseGet(() -> ofMissing(snapshot, ordinal));
    if (hash.equals(snapshot.templateHash())) {
      return Optional.of(snapshot.template());
    }
    Optional<NodeTemplate> kept =
        snapshot
            .revisions()
            .template(hash)
            .map(version -> SpecFields.given(version, snapshot.template()));
    return kept.isPresent() || child.isPresent() ? kept : Optional.of(snapshot.template());
  }

  /** A node keeps what it has until a rollout admits it. */
  private static String ofPresent(FleetSnapshot snapshot, FleetNode node) {
    Rollout rollout = snapshot.status().rollout();
    return rollout != null && rollout.isAdmitted(node.name())
        ? rollout.targetHash()
        : node.templateHash();
  }

  /**
   * A node that is recreated in the middle of a rollout comes back as it was; one that is new
   * starts with what the others are brought to.
   */
  private static String ofMissing(FleetSnapshot snapshot, int ordinal) {
    Rollout rollout = snapshot.status().rollout();
    String completed = snapshot.status().templateHash();
    String name = ChildRenderer.name(snapshot.deployment(), ordinal);
    boolean waiting =
        rollout != null && rollout.node(name).isPresent() && !rollout.isAdmitted(name);
    boolean kept = snapshot.pausesRollouts() || ordinal < snapshot.limits().partition() || waiting;
    if (kept && completed != null) {
      return completed;
    }
    return rollout == null ? snapshot.target() : rollout.targetHash();
  }
}
