package io.sei.operator.node.signing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.reconcile.ConditionProposal;
import org.junit.jupiter.api.Test;

/** Compares seid's answers about its signer with the key that the spec declares. */
class SignersKeyTest {

  /** Its address was seen at the chain of the tests. */
  private static final String DECLARED = "p9IbIN0J9kyWqfVFiIwYuQb+pBSaDcDTHrw2uIlFMwU=";

  private static final String OTHER = "6SyAwPY/Y98xHGewwri4OHOicNLhTbeVmkkNt/I95i0=";

  @Test
  void keyOfTheSignerIsComparedWithTheDeclaredOne() {
    assertThat(SignersKey.verdict(DECLARED, DECLARED).reason())
        .isEqualTo(NodeReason.SIGNING_KEY_VALIDATED);
  }

  @Test
  void messageNamesBothByTheAddressesThatTheChainHas() {
    ConditionProposal proposal = SignersKey.verdict(DECLARED, OTHER);

    assertThat(proposal.reason()).isEqualTo(NodeReason.SIGNER_HAS_ANOTHER_KEY);
    assertThat(proposal.message())
        .startsWith(
            "the remote signer signs as validator B42985CC7180C44DB7E07F86A1D71C2BD4BBC299,")
        .contains("is the key of D95A26DD7B0C8372852359B1ADE89B8B76522D42:");
  }
}
