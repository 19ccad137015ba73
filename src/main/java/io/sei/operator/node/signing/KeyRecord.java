package io.sei.operator.node.signing;

import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import java.util.Optional;

/**
 * A SeiSigningKey as it was just read.
 *
 * @param leaving whether it is being deleted
 * @param holderIsThere whether the SeiNode that it names exists
 */
record KeyRecord(SeiSigningKeySpec spec, boolean leaving, boolean holderIsThere) {

  /** Returns whether its holder exists and has not released the key. */
  boolean isHeld() {
    return holderIsThere && spec.holder().releasedAt() == null;
  }

  /** Returns whether no pod has had the key, and no administrator keeps it for a node to come. */
  boolean isUnused() {
    return spec.state() == State.RESERVED && spec.holder().uid() != null;
  }

  /**
   * The records of a key that bind a node.
   *
   * @param proved that of the cluster, with proof of possession
   * @param declared that of the node's namespace
   */
  record Pair(Optional<KeyRecord> proved, Optional<KeyRecord> declared) {

    /** The record that decides: a declaration counts only while there is no record with proof. */
    Optional<KeyRecord> binding() {
      return proved.or(() -> declared);
    }

    /** The declaration, if another node of the namespace holds the key by it. */
    Optional<KeyRecord> heldByNeighbour(Signer self) {
      return declared.filter(KeyRecord::isHeld).filter(record -> !self.holds(record.spec()));
    }
  }
}
