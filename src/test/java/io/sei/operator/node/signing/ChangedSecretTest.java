package io.sei.operator.node.signing;

import static io.sei.operator.node.signing.SigningNode.local;
import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.Polling;
import io.sei.operator.reconcile.ConditionProposal;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Finds the node that holds the key to which a Secret was changed, and bounds who may read that.
 */
class ChangedSecretTest {

  private static final SigningNode ALICE = local("a", "alice");

  private final InMemoryApi api = new InMemoryApi(Set.of(), any -> {});
  private final SigningKeyLock register =
      new SigningKeyLock(api.api(), api.usage(Set.of()), new PerObjectState<>(woken -> {}));
  private final ChangedSecret secrets =
      new ChangedSecret(
          api.api(),
          new SigningScope(Optional.of(register)),
          new Polling<>(new PerObjectState<>(), (owner, task, delay) -> {}, Clock.systemUTC()));

  @BeforeEach
  void aliceSigns() {
    SeiNode alice = ALICE.node();
    alice.setStatus(SeiNodeStatus.empty().withSigningPublicKey(SigningNode.KEY));
    api.put(alice);
    ALICE.secret().ifPresent(api::put);
    assertThat(register.acquire(ALICE.signer(null), true).veto().isNone()).isTrue();
  }

  @Test
  void aNodeOfTheNamespaceIsNamed() {
    assertThat(secrets.holder(new ResourceID("bob", "a"), SigningNode.KEY))
        .contains("SeiNode alice");
  }

  @Test
  void aNodeOfAnotherNamespaceIsNot() {
    assertThat(secrets.holder(new ResourceID("mallory", "b"), SigningNode.KEY))
        .contains(SigningKeyLockPolicy.SOMEWHERE);
  }

  @Test
  void theNodeItselfIsNoOther() {
    assertThat(secrets.holder(new ResourceID("alice", "a"), SigningNode.KEY)).isEmpty();
  }

  @Test
  void theMessageNamesBothNodesAndAcrossNamespacesNeitherClaimNorUid() {
    ConditionProposal here =
        ChangedSecret.changed("bob", "key", new ChangedSecret.Change("SeiNode alice", "d1"));
    assertThat(here.reason()).isEqualTo(NodeReason.SIGNING_KEY_CHANGED);
    assertThat(here.message())
        .startsWith("Secret key of SeiNode bob now holds the signing key of SeiNode alice;");

    ConditionProposal elsewhere =
        ChangedSecret.changed(
            "bob", "key", new ChangedSecret.Change(SigningKeyLockPolicy.SOMEWHERE, "d1"));
    assertThat(elsewhere.message())
        .contains("the signing key of a SeiNode of another namespace;")
        .contains("kubectl get seisigningkeys -l sei.io/signing-key=d1")
        .doesNotContain("alice", "uid");
  }
}
