package io.sei.operator.node.signing;

import static io.sei.operator.node.signing.SigningNode.NOW;
import static io.sei.operator.node.signing.SigningNode.local;
import static io.sei.operator.node.signing.SigningNode.remote;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Claim;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Holder;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Possession;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpecBuilder;
import io.sei.operator.api.v1alpha1.SigningKeyTransfer;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.node.signing.SigningKeyLock.Outcome;
import io.sei.operator.node.signing.SigningKeyLock.RunningPod;
import io.sei.operator.render.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Writes to the records of a key, and reconciles of the nodes that declare it. */
class SigningKeyLockTest {

  private static final String DIGEST = Signer.recordOf(SigningNode.KEY);
  private static final SigningNode ALICE = local("a", "alice");
  private static final SigningNode ANNA = remote("a", "anna");
  private static final SigningNode MALLORY = remote("b", "mallory");

  private final InMemoryApi api = new InMemoryApi(Set.of(), any -> {});
  private final List<ResourceID> woken = new ArrayList<>();
  private final SigningKeyLock register =
      new SigningKeyLock(api.api(), api.usage(Set.of()), new PerObjectState<>(woken::add));

  SigningKeyLockTest() {
    for (SigningNode node : List.of(ALICE, ANNA, MALLORY)) {
      api.put(node.node());
      node.secret().ifPresent(api::put);
    }
  }

  @Test
  void nodeThatDeclaresAKeyIsWokenWhenAnotherNamespaceProvesIt() {
    Signer declaring = MALLORY.signer(null);
    assertThat(register.acquire(declaring, true).sharing().with()).isEmpty();
    register.note(declaring, new RunningPod("pod-mallory", "machine-1", false));
    var mallory = new ResourceID("mallory", "b");
    assertThat(register.isLookDue(mallory, NOW)).isFalse();

    Outcome outcome = register.acquire(ALICE.signer(null), true);

    assertThat(outcome.veto().isNone()).isTrue();
    assertThat(outcome.sharing().with()).contains("a SeiNode of another namespace");
    assertThat(outcome.sharing().isAwaited()).isTrue();
    assertThat(woken).containsOnly(mallory);
    assertThat(register.isLookDue(mallory, NOW)).isTrue();
    assertThat(
            register
                .note(declaring, new RunningPod("pod-mallory", "machine-1", false))
                .orElseThrow()
                .sharedWith())
        .contains("a SeiNode of another namespace");
    assertThat(record(DIGEST).holder().node()).isEqualTo("alice");
  }

  /** Otherwise the next holder after a transfer would be said to share its key. */
  @Test
  void declarationIsReleasedOnceItsNodeProvesTheKey() {
    SigningNode moved = local("a", "anna");
    register.acquire(ANNA.signer(null), true);
    register.note(ANNA.signer(null), new RunningPod("pod-anna", "machine-1", false));

    Outcome outcome = register.acquire(moved.signer("remote-signer"), true);

    assertThat(outcome.veto().isNone()).isTrue();
    assertThat(record(DIGEST).holder().podUid()).isEqualTo("pod-anna");
    assertThat(record(DIGEST).claim()).isEqualTo(moved.claim());
    assertThat(record(DIGEST + ".a").holder().releasedAt()).isNotNull();
  }

  /** Writes the record that docs/validators.md has an administrator write. */
  @Test
  void administratorsRecordOfARemoteSignersKeyKeepsAnotherNamespaceFromIt() {
    register.acquire(MALLORY.signer(null), true);
    put(
        SeiSigningKeySpecBuilder.builder()
            .publicKey(SigningNode.KEY)
            .possession(Possession.PROVED)
            .chainId("local-1")
            .state(State.ARMED)
            .holder(new Holder("b", "mallory", null, null, null, null, null))
            .claim(Claim.REMOTE_SIGNER)
            .build());

    assertThat(register.acquire(ALICE.signer(null), true).veto().isNone()).isFalse();
    assertThat(register.acquire(MALLORY.signer(null), true).veto().isNone()).isTrue();
    assertThat(record(DIGEST).holder().uid()).isEqualTo("uid-mallory");
    assertThat(record(DIGEST + ".b").holder().releasedAt()).isNotNull();
  }

  /** A node that has not been created yet may be meant. */
  @Test
  void administratorsReservationIsForTheNodeThatItNames() {
    put(
        SeiSigningKeySpecBuilder.builder()
            .publicKey(SigningNode.KEY)
            .possession(Possession.PROVED)
            .state(State.RESERVED)
            .holder(new Holder("b", "not-yet", null, null, null, null, null))
            .build());

    assertThat(register.acquire(ALICE.signer(null), true).veto().isNone()).isFalse();
    SigningNode created = remote("b", "not-yet");
    api.put(created.node());
    assertThat(register.acquire(created.signer(null), true).veto().isNone()).isTrue();
  }

  /** The word in the record, the one that was copied last, what the spec says, what remains. */
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          ,    ,    bob, bob
          bob, bob, ,
          bob, bob, eve, eve
          eve, bob, ,    eve
          eve, ,    bob, bob
          """)
  void holdersWordIsCopiedAndAnAdministratorsIsLeft(
      String recorded, String copied, String word, String remains) {
    register.acquire(ALICE.signer(null), true);
    put(record(DIGEST).withTransferTo(to(recorded)));

    register.copyTransfer(ALICE.signer(null), to(copied), to(word));

    assertThat(record(DIGEST).transferTo()).isEqualTo(to(remains));
  }

  @Test
  void wordOfANodeThatDoesNotHoldTheKeyIsNotCopied() {
    register.acquire(ALICE.signer(null), true);

    boolean copied = register.copyTransfer(MALLORY.signer(null), null, to("mallory"));

    assertThat(copied).isFalse();
    assertThat(record(DIGEST).transferTo()).isNull();
  }

  private static SigningKeyTransfer to(String node) {
    return node == null ? null : new SigningKeyTransfer("b", node);
  }

  private void put(SeiSigningKeySpec spec) {
    var record = new SeiSigningKey();
    record.setMetadata(
        new ObjectMetaBuilder()
            .withName(Signer.nameOf(spec))
            .withResourceVersion("0")
            .withLabels(Map.of(Labels.SIGNING_KEY, DIGEST))
            .build());
    record.setSpec(spec);
    api.put(record);
  }

  private SeiSigningKeySpec record(String name) {
    return api.records()
        .filter(key -> key.getMetadata().getName().equals(name))
        .findFirst()
        .orElseThrow()
        .getSpec();
  }
}
