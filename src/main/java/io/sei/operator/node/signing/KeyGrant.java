package io.sei.operator.node.signing;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;

/** What the records of a key come to for a node that wants to sign with it. */
sealed interface KeyGrant {

  /**
   * The node may, once the record says this.
   *
   * @param record what it is to say; may be what it says already
   */
  record Granted(SeiSigningKeySpec record) implements KeyGrant {}

  /** There is no record, but somebody who has signed: this is recorded first. */
  record Rebuilt(SeiSigningKeySpec record) implements KeyGrant {}

  /**
   * The key comes to the node from another namespace. This is recorded first: what the key has
   * signed is then asked for in the namespace of the new holder.
   */
  record Transferred(SeiSigningKeySpec record) implements KeyGrant {}

  /** A person deletes the record and nobody holds it: its finalizer goes, then all is looked at. */
  record LetGo() implements KeyGrant {}

  /** The node must not. */
  record Refused(NodeReason reason, String message) implements KeyGrant {}
}
