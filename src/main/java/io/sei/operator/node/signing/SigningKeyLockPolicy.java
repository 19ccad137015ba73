package io.sei.operator.node.signing;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Claim;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Holder;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Possession;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import io.sei.operator.node.signing.KeyEvidence.Machine;
import java.util.Optional;

/**
 * PURE: decides whether a node may sign with a key. The decision holds only by the write that
 * follows, which the API server refuses if the record has changed since it was read.
 * docs/validators.md has the same table in words.
 */
final class SigningKeyLockPolicy {

  /** Describes a node of another namespace, of which a tenant learns no more. */
  static final String SOMEWHERE = "a SeiNode of another namespace";

  private SigningKeyLockPolicy() {}

  /**
   * Decides.
   *
   * @param arming whether a pod follows at once, so that the record is to say Armed
   */
  static SigningKeyLockDecision decide(
      Signer self, KeyRecord.Pair records, boolean arming, KeyEvidence seen) {
    if (records.binding().isEmpty()) {
      return withoutRecord(self, arming, seen);
    }
    KeyRecord record = records.binding().get();
    Optional<KeyRecord> neighbour = records.heldByNeighbour(self);
    if (self.holds(record.spec())) {
      return neighbour
          .<SigningKeyLockDecision>map(other -> heldBy(self, other))
          .orElseGet(() -> ofHolder(self, record.spec(), arming, seen));
    }
    boolean free = record.isUnused() && self.proves();
    if (self.isForeign(record.spec()) && !self.isGiven(record.spec()) && !free) {
      return refused(notGiven(self));
    }
    if (!seen.users().isEmpty()) {
      return inUse(self, seen.users().getFirst().describeTo(self) + " has it");
    }
    if (record.isHeld()) {
      return heldBy(self, record);
    }
    if (neighbour.isPresent()) {
      return heldBy(self, neighbour.get());
    }
    if (record.leaving() && !self.isForeign(record.spec())) {
      return new SigningKeyLockDecision.LetGo();
    }
    return ofFollower(self, record.spec(), arming, seen);
  }

  private static SigningKeyLockDecision withoutRecord(
      Signer self, boolean arming, KeyEvidence seen) {
    if (!seen.users().isEmpty()) {
      return new SigningKeyLockDecision.Rebuilt(seen.users().getFirst().record());
    }
    Optional<SeiSigningKeySpec> kept =
        seen.kept().filter(spec -> !spec.claim().isSameData(self.claim().orElse(null)));
    return kept.<SigningKeyLockDecision>map(SigningKeyLockDecision.Rebuilt::new)
        .orElseGet(
            () ->
                new SigningKeyLockDecision.Granted(
                    self.holding(arming ? State.ARMED : State.RESERVED)));
  }

  /** Decides for the recorded holder; no declaration and no pod of another node takes its key. */
  private static SigningKeyLockDecision ofHolder(
      Signer self, SeiSigningKeySpec record, boolean arming, KeyEvidence seen) {
    if (isOfAnotherChain(self, record)) {
      return otherChain(self, record);
    }
    if (record.state() == State.RESERVED) {
      SeiSigningKeySpec next = reserved(self, record);
      return granted(self, record, arming ? next.withState(State.ARMED) : next);
    }
    // The record keeps the last pod, so that seid waits for its end in the next one.
    if (seen.machine() == Machine.SILENT) {
      Optional<SigningKeyLockDecision.Refused> uncertain = uncertain(self, record, Machine.SILENT);
      if (uncertain.isPresent()) {
        return uncertain.get();
      }
    }
    if (lacksState(self, record, true)) {
      return new SigningKeyLockDecision.Refused(
          NodeReason.SIGNING_STATE_MISSING, missing(self, record));
    }
    return granted(
        self,
        record,
        held(self, record)
            .with(next -> next.claim(self.claim().orElse(record.claim())).alsoSigning(null)));
  }

  private static SeiSigningKeySpec reserved(Signer self, SeiSigningKeySpec record) {
    return held(self, record).withClaim(self.claim().orElse(null));
  }

  /** The holder stays the same: its pod and its consent to a transfer stay as recorded. */
  private static SeiSigningKeySpec held(Signer self, SeiSigningKeySpec record) {
    Holder holder = record.holder().with(builder -> builder.uid(self.uid()).releasedAt(null));
    return record.with(builder -> builder.chainId(self.chainId()).holder(holder));
  }

  private static SigningKeyLockDecision ofFollower(
      Signer self, SeiSigningKeySpec record, boolean arming, KeyEvidence seen) {
    if (isOfAnotherChain(self, record)) {
      return otherChain(self, record);
    }
    if (record.state() == State.RESERVED) {
      return granted(self, record, self.holding(arming ? State.ARMED : State.RESERVED));
    }
    Optional<SigningKeyLockDecision.Refused> uncertain = uncertain(self, record, seen.machine());
    if (uncertain.isPresent()) {
      return uncertain.get();
    }
    if (self.isForeign(record)) {
      return new SigningKeyLockDecision.Transferred(transferred(self, record));
    }
    if (lacksState(self, record, false)) {
      return new SigningKeyLockDecision.Refused(
          NodeReason.SIGNING_STATE_MISSING, missing(self, record));
    }
    SeiSigningKeySpec next = self.holding(State.ARMED);
    return granted(self, record, next.claim() == null ? next.withClaim(record.claim()) : next);
  }

  /** Possession that was proved once is never less; a declaration is, by the node that proves. */
  private static SigningKeyLockDecision granted(
      Signer self, SeiSigningKeySpec before, SeiSigningKeySpec next) {
    boolean proved = self.proves() || before.possession() == Possession.PROVED;
    return new SigningKeyLockDecision.Granted(
        next.withPossession(proved ? Possession.PROVED : Possession.DECLARED));
  }

  /** The new holder, with the claim that has the signing state and the namespace of that claim. */
  private static SeiSigningKeySpec transferred(Signer self, SeiSigningKeySpec record) {
    Claim last = record.claim();
    boolean named = last == null || last.namespace() != null;
    Claim claim = named ? last : last.withNamespace(record.holder().namespace());
    return self.holding(State.ARMED)
        .with(builder -> builder.possession(Possession.PROVED).claim(claim));
  }

  private static boolean isOfAnotherChain(Signer self, SeiSigningKeySpec record) {
    return record.chainId() != null && !record.chainId().equals(self.chainId());
  }

  private static SigningKeyLockDecision otherChain(Signer self, SeiSigningKeySpec record) {
    return refused(
        "the signing key is recorded for chain %s; to use it for %s, set spec.chainId of SeiSigningKey %s to that"
            .formatted(record.chainId(), self.chainId(), Signer.nameOf(record)));
  }

  /** Whether containers of the last pod, which is gone, may live on. */
  static Optional<SigningKeyLockDecision.Refused> uncertain(
      Signer self, SeiSigningKeySpec record, Machine machine) {
    Holder holder = record.holder();
    String pod = holder.podUid();
    if (machine == Machine.ENDED || pod == null || pod.equals(record.endedPodUid())) {
      return Optional.empty();
    }
    String last = self.isForeign(record) ? "of " + SOMEWHERE : pod + " of SeiNode " + name(holder);
    String where = self.isForeign(record) ? "its machine" : "its machine " + holder.machine();
    String message =
        "the last pod with the signing key, %s, is gone, but %s %s"
            .formatted(last, where, doubt(machine));
    if (machine == Machine.ENDING) {
      return Optional.of(new SigningKeyLockDecision.Refused(NodeReason.POD_TERMINATING, message));
    }
    String next =
        self.isForeign(record)
            ? "; an administrator has to act: kubectl get seisigningkey %s -o yaml"
                .formatted(Signer.nameOf(record))
            : "";
    return Optional.of(
        new SigningKeyLockDecision.Refused(NodeReason.SIGNING_UNCERTAIN, message + next));
  }

  private static String doubt(Machine machine) {
    return switch (machine) {
      case SILENT -> "is silent and may still run it";
      case UNREADABLE -> "may still run it, and the operator has no right to read that machine";
      case ENDING, ENDED -> "may still be ending it";
    };
  }

  private static boolean lacksState(Signer self, SeiSigningKeySpec record, boolean own) {
    Claim last = record.claim();
    Claim present = self.claim().orElse(null);
    if (last == null || last.isSameData(present)) {
      return false;
    }
    String accepted = self.accepted().orElse(null);
    if (last.isOfAnotherNamespace(self.namespace())) {
      return !transferId(record).equals(accepted);
    }
    // A claim recreated under its name is accepted by its own uid; a state that moves is not.
    boolean recreated = own && !last.isRemote() && !self.remote() && present != null;
    return !self.givesUp(last) && !(recreated && present.uid().equals(accepted));
  }

  /** Identifies one transfer of the key, without a name of the namespace that it came from. */
  private static String transferId(SeiSigningKeySpec record) {
    return String.valueOf(record.holder().since());
  }

  private static String missing(Signer self, SeiSigningKeySpec record) {
    Claim last = record.claim();
    String holder = name(record.holder());
    if (last.isOfAnotherNamespace(self.namespace())) {
      return "the signing key came from another namespace at %s, and this node has no record of what it signed there: copy data/priv_validator_state.json of its last signer to %s, then set spec.validator.acceptSigningStateLoss to %s"
          .formatted(
              transferId(record),
              self.remote() ? "the remote signer" : "the volume of this node",
              transferId(record));
    }
    if (last.isRemote()) {
      return ("the signing key has signed with the remote signer (uid %s) of SeiNode %s, which has"
              + " the record of it; the volume does not")
          .formatted(last.uid(), holder);
    }
    String claim =
        "the signing key has signed as SeiNode %s, on claim %s with uid %s"
            .formatted(holder, last.name(), last.uid());
    return self.remote()
        ? claim + ", which the remote signer does not read"
        : claim + ", which this node does not have";
  }

  private static SigningKeyLockDecision heldBy(Signer self, KeyRecord record) {
    return self.isForeign(record.spec())
        ? inUse(self, SOMEWHERE + " holds it")
        : inUse(self, "SeiNode " + name(record.spec().holder()) + " holds it");
  }

  private static SigningKeyLockDecision inUse(Signer self, String who) {
    String message = "the signing key is in use: " + who + " (SeiSigningKey " + self.record() + ")";
    return refused(
        who.startsWith(SOMEWHERE) ? message + "; " + administrator(self.record()) : message);
  }

  private static String notGiven(Signer self) {
    return "the signing key is recorded for another namespace (SeiSigningKey %s), whose node has to stop and name this one in spec.validator.signingKeyTransferTo; or an administrator has to act: kubectl patch seisigningkey %s --type=merge -p '{\"spec\":{\"transferTo\":{\"namespace\":\"%s\",\"node\":\"%s\"}}}'"
        .formatted(self.record(), self.record(), self.namespace(), self.node());
  }

  /** The command that shows an administrator what a tenant must not see. */
  static String administrator(String digest) {
    return "an administrator has to act: kubectl get seisigningkeys -l sei.io/signing-key=%s -o wide"
        .formatted(digest);
  }

  private static SigningKeyLockDecision refused(String message) {
    return new SigningKeyLockDecision.Refused(NodeReason.IN_USE, message);
  }

  private static String name(Holder holder) {
    return holder.namespace() + "/" + holder.node();
  }
}
