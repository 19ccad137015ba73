package io.sei.operator.node.signing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Claim;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Holder;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Possession;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpecBuilder;
import io.sei.operator.node.signing.KeyEvidence.Machine;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A key changes between a claim and a remote signer by a person's word alone. */
class RemoteGrantsTest {

  private static final Instant NOW = Instant.parse("2026-06-01T10:00:00Z");
  private static final Claim CLAIM = new Claim("data-alice", "claim-a", "volume-a", null);
  private static final Claim OTHER = new Claim("data-alice", "claim-b", null, null);

  /**
   * The claim-a has signed, or the signer; alice holds the key, or did. Both fields of her spec
   * name what she gives up, or acceptSigningStateLoss alone, as after a reset of the claim.
   */
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          claim-a, true,  remote,  ,              false
          claim-a, true,  remote,  remote-signer, false
          claim-a, true,  remote,  claim-a,       true
          claim-a, true,  remote,  claim-a alone, false
          claim-a, false, remote,  ,              false
          claim-a, false, remote,  claim-a,       true
          claim-a, false, remote,  claim-a alone, false
          claim-a, false, claim-b, claim-a,       true
          claim-a, false, claim-b, claim-a alone, false
          remote,  true,  remote,  ,              true
          remote,  false, remote,  ,              true
          remote,  true,  claim-a, ,              false
          remote,  true,  claim-a, claim-a,       false
          remote,  true,  claim-b, claim-b,       false
          remote,  true,  claim-a, remote-signer, true
          remote,  true,  claim-a, remote-signer alone, true
          remote,  false, claim-a, claim-a,       false
          remote,  false, claim-a, remote-signer, true
          """)
  void stateMovesByAPersonsWord(
      String signed, boolean own, String wants, String accepts, boolean granted) {
    SigningKeyLockDecision grant =
        decide(signer(wants, accepts), record(signed, own ? "alice" : "bob"));

    if (granted) {
      assertThat(((SigningKeyLockDecision.Granted) grant).record().claim())
          .isEqualTo(signer(wants, accepts).claim().orElseThrow());
    } else {
      assertThat(((SigningKeyLockDecision.Refused) grant).reason())
          .isEqualTo(NodeReason.SIGNING_STATE_MISSING);
    }
  }

  @Test
  void whatIsMissingIsNamed() {
    assertThat(decide(signer("remote", null), record("claim-a", "alice")))
        .isEqualTo(
            new SigningKeyLockDecision.Refused(
                NodeReason.SIGNING_STATE_MISSING,
                "the signing key has signed as SeiNode sei/alice, on claim data-alice with uid"
                    + " claim-a, which the remote signer does not read"));
    assertThat(decide(signer("claim-a", null), record("remote", "alice")))
        .isEqualTo(
            new SigningKeyLockDecision.Refused(
                NodeReason.SIGNING_STATE_MISSING,
                "the signing key has signed with the remote signer (uid remote-signer) of SeiNode"
                    + " sei/alice, which has the record of it; the volume does not"));
  }

  /** The claim is the node's own, and what is marked on it says that the signer has the state. */
  @Test
  void recordThatIsLostIsRebuiltForTheSigner() {
    SeiSigningKeySpec kept = record("remote", "alice");
    var seen = new KeyEvidence(List.of(), Optional.of(kept), Machine.ENDED);
    var none = new KeyRecord.Pair(Optional.empty(), Optional.empty());

    assertThat(SigningKeyLockPolicy.decide(signer("claim-a", null), none, true, seen))
        .isEqualTo(new SigningKeyLockDecision.Rebuilt(kept));
    assertThat(SigningKeyLockPolicy.decide(signer("remote", null), none, true, seen))
        .isInstanceOf(SigningKeyLockDecision.Granted.class);
  }

  private static SigningKeyLockDecision decide(Signer self, SeiSigningKeySpec record) {
    var seen = new KeyEvidence(List.of(), Optional.empty(), Machine.ENDED);
    Signer proving = self.withPossession(Possession.PROVED);
    SigningKeyLockDecision declared = SigningKeyLockPolicy.decide(self, only(record), true, seen);
    SigningKeyLockDecision proved = SigningKeyLockPolicy.decide(proving, only(record), true, seen);
    // Whoever proves possession needs the same word.
    assertThat(proved).hasSameClassAs(declared);
    return declared;
  }

  private static KeyRecord.Pair only(SeiSigningKeySpec record) {
    var stored = Optional.of(new KeyRecord(record, false, false));
    return record.possession() == Possession.PROVED
        ? new KeyRecord.Pair(stored, Optional.empty())
        : new KeyRecord.Pair(Optional.empty(), stored);
  }

  private static Signer signer(String data, String accepts) {
    String[] words = accepts == null ? new String[] {null} : accepts.split(" ");
    return SignerBuilder.builder()
        .key("key")
        .possession(Possession.DECLARED)
        .chainId("chain-1")
        .namespace("sei")
        .node("alice")
        .uid("uid-alice")
        .volume(Optional.of(data.equals("claim-b") ? OTHER : CLAIM))
        .remote(data.equals("remote"))
        .accepted(Optional.ofNullable(words[0]))
        .acceptedData(Optional.ofNullable(words.length == 1 ? words[0] : null))
        .grace(Duration.ofMinutes(2))
        .now(NOW)
        .build();
  }

  private static SeiSigningKeySpec record(String signed, String holder) {
    return SeiSigningKeySpecBuilder.builder()
        .publicKey("key")
        .possession(signed.equals("remote") ? Possession.DECLARED : Possession.PROVED)
        .chainId("chain-1")
        .state(State.ARMED)
        .holder(new Holder("sei", holder, "uid-" + holder, null, null, NOW, null))
        .claim(signed.equals("remote") ? Claim.REMOTE_SIGNER : CLAIM)
        .build();
  }
}
