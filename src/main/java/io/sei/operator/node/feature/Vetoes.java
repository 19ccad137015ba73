package io.sei.operator.node.feature;

import io.sei.operator.reconcile.Veto;
import java.util.List;

/** Asks features for a veto of an irreversible act. */
public record Vetoes(List<NodeFeature> features) {

  /** First veto; none if no feature has one. */
  public Veto ask(IrreversibleAct act, NodePass pass) {
    for (NodeFeature feature : features) {
      Veto veto = feature.veto(act, pass);
      if (!veto.isNone()) {
        return veto;
      }
    }
    return Veto.none();
  }
}
