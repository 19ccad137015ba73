package io.sei.operator.node.signing;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;

/** Decision about the lock of a key for a node that asks to sign with it. */
sealed interface SigningKeyLockDecision {

  /**
   * The node may, once the record says this.
   *
   * @param record what it is to say; may be what it says already
   */
  record Granted(SeiSigningKeySpec record) implements SigningKeyLockDecision {}

  /** There is no record, but a pod or a claim that has signed: this is recorded first. */
  record Rebuilt(SeiSigningKeySpec record) implements SigningKeyLockDecision {}

  /**
   * The key comes to the node from another namespace. This is recorded first; the new holder then
   * needs the signing state like any other node of its namespace.
   */
  record Transferred(SeiSigningKeySpec record) implements SigningKeyLockDecision {}

  /** An administrator deletes the record and no node holds it: its finalizer is removed first. */
  record LetGo() implements SigningKeyLockDecision {}

  /** The node must not. */
  record Refused(NodeReason reason, String message) implements SigningKeyLockDecision {}
}
