package io.sei.operator.node.model;

import io.sei.operator.reconcile.Permit;
import java.util.List;

/**
 * Asks every feature before something is done that cannot be taken back.
 *
 * @param features not copied: some of them need what asks here
 */
public record Permits(List<NodeFeature> features) {

  /** The first answer that is not a yes. */
  public Permit ask(Deed deed, NodeReconcile pass) {
    for (NodeFeature feature : features) {
      Permit permit = feature.may(deed, pass);
      if (!permit.isGiven()) {
        return permit;
      }
    }
    return Permit.yes();
  }
}
