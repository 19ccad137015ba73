package io.sei.operator.node.signing;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SigningKeyClaim;
import io.sei.operator.api.v1alpha1.SigningRecord;
import io.sei.operator.base.Recheck;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.signing.SigningKeyLock.Note;
import io.sei.operator.node.signing.SigningKeyLock.Outcome;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.Veto;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/** A node's claim to its signing key, and the condition that says so, in one write. */
final class KeyClaim {

  /** How long a start waits for the condition of another node, which its operator may never set. */
  private static final Duration TOLD = Duration.ofSeconds(10);

  private KeyClaim() {}

  /** Says in the condition whether the node may have its key, and claims it or not. */
  static void offer(NodePass pass, ConditionProposal proposal) {
    pass.offer(NodeConditionType.SIGNING_KEY_READY, proposal);
    follow(pass, proposal, pass.now());
  }

  /**
   * Claims the key, or withdraws the claim, with what the condition is to say.
   *
   * @param since when a claim began that is not recorded yet
   */
  static void follow(NodePass pass, ConditionProposal proposal, Instant since) {
    boolean claims =
        proposal.status() == ConditionStatus.TRUE
            || proposal.reason() == NodeReason.SIGNING_KEY_SHARED
            || proposal.reason() == NodeReason.SIGNING_KEY_CHANGED;
    Optional<String> secret = pass.node().getSpec().signingKeySecret().filter(any -> claims);
    pass.update(
        status ->
            status.withSigningKey(
                secret
                    .map(it -> SigningKeyClaim.after(status.signingKey(), it, since))
                    .orElse(null)));
  }

  /**
   * Turns the outcome of a claim into a veto. A key that another namespace has as well keeps no pod
   * from starting, but both nodes show it in their status before: this one always, the other one if
   * its operator sets it within {@link #TOLD}.
   */
  static Veto announced(NodePass pass, Outcome outcome, Supplier<Veto> then) {
    if (outcome.veto() instanceof Veto.Refusal no) {
      offer(pass, ConditionProposal.no(no.reason(), no.message()));
      return no;
    }
    SigningRecord before = pass.stored().signingRecord();
    String with = outcome.sharing().with().orElse(null);
    boolean changes = !Objects.equals(with, before == null ? null : before.sharedWith());
    SigningRecord record = changes ? sharing(before, outcome.record(), with, pass.now()) : before;
    if (changes) {
      pass.update(status -> status.withSigningRecord(record));
    }
    if (with == null) {
      return then.get();
    }
    offer(pass, shared(record));
    if (before == null || before.sharedWith() == null) {
      return Veto.writeFirst();
    }
    boolean waits =
        outcome.sharing().isAwaited()
            && before.sharedSince() != null
            && pass.now().isBefore(before.sharedSince().plus(TOLD));
    return waits
        ? Veto.of(
            NodeReason.SIGNING_KEY_SHARED,
            "the other node is to show first that the signing key is shared",
            Recheck.RACE)
        : then.get();
  }

  /** Adds the other node that has the key to the record; the pod of the record stays. */
  private static SigningRecord sharing(
      SigningRecord before, String record, String with, Instant now) {
    if (before == null) {
      return new SigningRecord(record, null, with, now);
    }
    boolean isOfPod = before.podUid() != null;
    if (with == null) {
      return isOfPod ? new SigningRecord(before.name(), before.podUid(), null, null) : null;
    }
    Instant since = before.sharedWith() == null ? now : before.sharedSince();
    return new SigningRecord(isOfPod ? before.name() : record, before.podUid(), with, since);
  }

  /** Returns the record of a pod that signs. */
  static SigningRecord signing(SigningRecord before, Note note, String podUid, Instant now) {
    String with = note.sharedWith().orElse(null);
    boolean known = before != null && before.sharedWith() != null;
    Instant since = known ? before.sharedSince() : now;
    return new SigningRecord(note.record(), podUid, with, with == null ? null : since);
  }

  /** The condition of a node whose key another node has as well. */
  static ConditionProposal shared(SigningRecord record) {
    String message =
        "%s has the same key; stop one of the two at once: the chain removes a validator for good whose key signs twice"
            .formatted(record.sharedWith());
    return ConditionProposal.no(
        NodeReason.SIGNING_KEY_SHARED,
        record.sharedWith().equals(SigningKeyLockPolicy.SOMEWHERE)
            ? message + "; to see which, " + SigningKeyLockPolicy.administrator(record.digest())
            : message);
  }
}
