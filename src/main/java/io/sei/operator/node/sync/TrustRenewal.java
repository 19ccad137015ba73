package io.sei.operator.node.sync;

import io.fabric8.kubernetes.api.model.Container;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.render.Annotations;
import io.sei.operator.render.HomeScript;
import java.util.Optional;

/**
 * The init container that takes away the marker by which a sidecar knows that it has configured
 * state sync, so that it asks for a trusted block again. A block may get too old before the node
 * has synced.
 */
final class TrustRenewal {

  private static final String NAME = "state-sync-renewal";

  /** The marker of every version from 0.0.50 to 0.0.70. seid syncs its state at height 0 alone. */
  private static final String SCRIPT =
      """
      set -eu
      rm -f "$HOME/.sei-sidecar-statesync-done"
      """;

  private TrustRenewal() {}

  /**
   * Returns whether a restart was asked for of a node that syncs from peers. A snapshot from S3 has
   * one height, and so one block. The pod's template must not depend on whether the node has
   * synced: it would change under a pod that runs.
   */
  static boolean isAskedFor(SeiNode node) {
    return Annotations.restartRequestedAt(node).isPresent()
        && node.getSpec()
            .initialSnapshot()
            .filter(snapshot -> snapshot.stateSync() != null)
            .isPresent();
  }

  /** The container, if a restart was asked for. */
  static Optional<Container> render(SeiNode node) {
    return isAskedFor(node)
        ? Optional.of(HomeScript.of(NAME, node.getSpec().image(), SCRIPT).build())
        : Optional.empty();
  }
}
