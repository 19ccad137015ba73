package io.sei.operator.node.signing;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SigningKeyHold;
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

/** Condition SigningKeyReady of a node, and its hold on the key, which is written with it. */
final class SigningKeyReady {

  /** How long a start waits for the condition of another node, which its operator may never set. */
  private static final Duration SHOWN = Duration.ofSeconds(10);

  private SigningKeyReady() {}

  /** Offers the condition, and takes the hold on the key or gives it up. */
  static void offer(NodePass pass, ConditionProposal proposal) {
    pass.offer(NodeConditionType.SIGNING_KEY_READY, proposal);
    hold(pass, proposal, pass.now());
  }

  /**
   * Takes the hold on the key that a condition stands for, or gives it up.
   *
   * @param since when a hold began that is not recorded yet
   */
  static void hold(NodePass pass, ConditionProposal proposal, Instant since) {
    boolean holds =
        proposal.status() == ConditionStatus.TRUE
            || proposal.reason() == NodeReason.SIGNING_KEY_SHARED
            || proposal.reason() == NodeReason.SIGNING_KEY_CHANGED;
    Optional<String> secret = pass.node().getSpec().signingKeySecret().filter(any -> holds);
    pass.update(
        status ->
            status.withSigningKey(
                secret
                    .map(name -> SigningKeyHold.after(status.signingKey(), name, since))
                    .orElse(null)));
  }

  /**
   * Turns the outcome of acquiring the lock into a veto. A key that another namespace has as well
   * keeps no pod from starting, but both nodes show it in their status before: this one always, the
   * other one if its operator sets it within {@link #SHOWN}.
   */
  static Veto veto(NodePass pass, Outcome outcome) {
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
      return Veto.none();
    }
    offer(pass, shared(record));
    if (before == null || before.sharedWith() == null) {
      return Veto.writeFirst();
    }
    boolean waits =
        outcome.sharing().isAwaited()
            && before.sharedSince() != null
            && pass.now().isBefore(before.sharedSince().plus(SHOWN));
    return waits
        ? Veto.of(
            NodeReason.SIGNING_KEY_SHARED,
            "the other node is to show first that the signing key is shared",
            Recheck.RACE)
        : Veto.none();
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
        "%s has the same key; stop one of the two at once: the chain tombstones a validator whose key signs twice"
            .formatted(record.sharedWith());
    return ConditionProposal.no(
        NodeReason.SIGNING_KEY_SHARED,
        record.sharedWith().equals(SigningKeyLockPolicy.SOMEWHERE)
            ? message + "; to see which, " + SigningKeyLockPolicy.administrator(record.digest())
            : message);
  }
}
