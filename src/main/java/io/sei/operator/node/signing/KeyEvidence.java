package io.sei.operator.node.signing;

import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import java.util.List;
import java.util.Optional;

/**
 * Live observations beside the records of a key.
 *
 * @param users other pods with the key and StatefulSets that make one, sorted
 * @param kept what is recorded of the newest claim that signed with the key; looked for only where
 *     there is no record
 * @param machine the Kubernetes node of the last pod by the record
 */
record KeyEvidence(List<User> users, Optional<SeiSigningKeySpec> kept, Machine machine) {

  /** Whether containers of a pod that is gone may live on. */
  enum Machine {
    /** The Kubernetes node is silent, so that its kubelet has not ended them. */
    SILENT,
    /** The Kubernetes node reports, and its kubelet may not have ended them yet. */
    ENDING,
    /** They have ended, the machine is gone or out of service, or there was no pod. */
    ENDED,
    /** Their end was not reported, and the operator has no right to read the Kubernetes node. */
    UNREADABLE
  }

  /**
   * A pod, or a StatefulSet that makes one.
   *
   * @param what in words, such as {@code Pod ns/alice-0}
   * @param record what would be recorded of it
   */
  record User(String what, SeiSigningKeySpec record) {

    /** The user in words that a node of another namespace may read. */
    String describeTo(Signer self) {
      return self.isForeign(record) ? SigningKeyLockPolicy.SOMEWHERE : what;
    }
  }
}
