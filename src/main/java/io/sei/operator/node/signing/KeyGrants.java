package io.sei.operator.node.signing;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Claim;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Holder;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import io.sei.operator.node.signing.KeyEvidence.Machine;
import io.sei.operator.node.signing.KeyEvidence.Presence;
import java.util.Optional;

/**
 * PURE: whether a node may sign with a key. What it decides holds only by the write that follows:
 * that is refused where the record has changed since it was read.
 */
final class KeyGrants {

  private KeyGrants() {}

  /**
   * Decides.
   *
   * @param leaving whether the record is being deleted
   * @param arming whether a pod follows at once, so that the record is to say Armed
   */
  static KeyGrant decide(
      Signer self,
      Optional<SeiSigningKeySpec> record,
      boolean leaving,
      boolean arming,
      KeyEvidence seen) {
    return record
        .map(it -> byRecord(self, it, leaving, arming, seen))
        .orElseGet(() -> withoutRecord(self, arming, seen));
  }

  private static KeyGrant withoutRecord(Signer self, boolean arming, KeyEvidence seen) {
    if (!seen.users().isEmpty()) {
      return new KeyGrant.Rebuilt(seen.users().get(0).record());
    }
    Optional<SeiSigningKeySpec> kept =
        seen.kept().filter(it -> !it.claim().isSameData(self.claim().orElse(null)));
    return kept.<KeyGrant>map(KeyGrant.Rebuilt::new).orElseGet(() -> granted(self, arming));
  }

  private static KeyGrant byRecord(
      Signer self, SeiSigningKeySpec record, boolean leaving, boolean arming, KeyEvidence seen) {
    boolean own = self.holds(record);
    if (!seen.users().isEmpty()) {
      return inUse(self, seen.users().get(0).what() + " has it");
    }
    if (!own && seen.holder() == Presence.THERE && record.holder().releasedAt() == null) {
      return inUse(self, "SeiNode " + name(record.holder()) + " holds it");
    }
    if (leaving && !own) {
      return new KeyGrant.LetGo();
    }
    if (record.chainId() != null && !record.chainId().equals(self.chainId())) {
      return new KeyGrant.Refused(
          NodeReason.IN_USE,
          "the signing key is recorded for chain %s; to use it for %s, set spec.chainId of SeiSigningKey %s to that"
              .formatted(record.chainId(), self.chainId(), self.record()));
    }
    if (record.state() == State.RESERVED) {
      boolean reserved = own && !arming && record.holder().releasedAt() == null;
      return reserved ? new KeyGrant.Granted(record) : granted(self, arming);
    }
    return uncertain(record, seen.machine())
        .<KeyGrant>map(it -> it)
        .or(() -> withoutState(self, record, own))
        .orElseGet(() -> own ? kept(self, record) : followed(self, record));
  }

  /** Whether containers of the last pod, which is gone, may live on. */
  static Optional<KeyGrant.Refused> uncertain(SeiSigningKeySpec record, Machine machine) {
    String pod = record.holder().podUid();
    return machine == Machine.SILENT && pod != null && !pod.equals(record.endedPodUid())
        ? Optional.of(
            new KeyGrant.Refused(
                NodeReason.SIGNING_UNCERTAIN,
                "the last pod with the signing key, %s of SeiNode %s, is gone, but its machine %s is silent and may still run it"
                    .formatted(pod, name(record.holder()), record.holder().machine())))
        : Optional.empty();
  }

  private static Optional<KeyGrant> withoutState(
      Signer self, SeiSigningKeySpec record, boolean own) {
    Claim last = record.claim();
    if (last == null || last.isSameData(self.claim().orElse(null))) {
      return Optional.empty();
    }
    // A claim recreated under its name is accepted by its own uid; a state that moves is not.
    boolean again = own && !last.isRemote() && !self.remote();
    boolean accepted =
        self.accepted()
            .filter(
                uid ->
                    uid.equals(last.uid())
                        || (again && self.claim().map(Claim::uid).filter(uid::equals).isPresent()))
            .isPresent();
    return accepted
        ? Optional.empty()
        : Optional.of(
            new KeyGrant.Refused(NodeReason.SIGNING_STATE_MISSING, missing(self, record)));
  }

  private static String missing(Signer self, SeiSigningKeySpec record) {
    Claim last = record.claim();
    String holder = name(record.holder());
    if (last.isRemote()) {
      return ("the signing key has signed with the remote signer (uid %s) of SeiNode %s, which has the"
              + " record of it; the volume does not")
          .formatted(last.uid(), holder);
    }
    String claim =
        "the signing key has signed as SeiNode %s, on claim %s with uid %s"
            .formatted(holder, last.name(), last.uid());
    return self.remote()
        ? claim + ", which the remote signer does not read"
        : claim + ", which this node does not have";
  }

  /** The same holder goes on: what is known of its pod stays. */
  private static KeyGrant kept(Signer self, SeiSigningKeySpec record) {
    Holder holder = record.holder();
    return new KeyGrant.Granted(
        record.with(
            it ->
                it.chainId(self.chainId())
                    .claim(self.claim().orElse(record.claim()))
                    .holder(holder.withReleasedAt(null))
                    .alsoSigning(null)));
  }

  private static KeyGrant granted(Signer self, boolean arming) {
    return new KeyGrant.Granted(self.holding(arming ? State.ARMED : State.RESERVED));
  }

  /**
   * Another one follows one that has signed, so that the record never says less than Armed again.
   */
  private static KeyGrant followed(Signer self, SeiSigningKeySpec record) {
    SeiSigningKeySpec next = self.holding(State.ARMED);
    return new KeyGrant.Granted(next.claim() == null ? next.withClaim(record.claim()) : next);
  }

  private static KeyGrant inUse(Signer self, String who) {
    return new KeyGrant.Refused(
        NodeReason.IN_USE,
        "the signing key is in use: " + who + " (SeiSigningKey " + self.record() + ")");
  }

  private static String name(Holder holder) {
    return holder.namespace() + "/" + holder.node();
  }
}
