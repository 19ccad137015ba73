package io.sei.operator.node.signing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.base.Answer;
import io.sei.operator.reconcile.ConditionProposal;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What seid says of its signer is held against the key that the spec declares. */
class SignersKeyTest {

  /** Its address was seen at the chain of the tests. */
  private static final String DECLARED = "p9IbIN0J9kyWqfVFiIwYuQb+pBSaDcDTHrw2uIlFMwU=";

  private static final String OTHER = "6SyAwPY/Y98xHGewwri4OHOicNLhTbeVmkkNt/I95i0=";

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          the declared key, SigningKeyValidated
          another key,      SignerHasAnotherKey
          no key,
          nothing yet,
          an error,
          """)
  void keyOfTheSignerIsHeldAgainstTheDeclaredOne(String said, String reason) {
    assertThat(SignersKey.verdict(DECLARED, answer(said)).map(it -> it.reason().toString()))
        .isEqualTo(Optional.ofNullable(reason));
  }

  @Test
  void messageNamesBothByTheAddressesThatTheChainHas() {
    ConditionProposal proposal = SignersKey.verdict(DECLARED, answer("another key")).orElseThrow();

    assertThat(proposal.reason()).isEqualTo(NodeReason.SIGNER_HAS_ANOTHER_KEY);
    assertThat(proposal.message())
        .startsWith(
            "the remote signer signs as validator B42985CC7180C44DB7E07F86A1D71C2BD4BBC299,")
        .contains("is the key of D95A26DD7B0C8372852359B1ADE89B8B76522D42:");
  }

  private static Answer<Optional<String>> answer(String said) {
    return switch (said) {
      case "the declared key" -> new Answer.Known<>(Optional.of(DECLARED));
      case "another key" -> new Answer.Known<>(Optional.of(OTHER));
      case "no key" -> new Answer.Known<>(Optional.empty());
      case "nothing yet" -> new Answer.Unasked<>();
      default -> new Answer.Failed<>(new IllegalStateException("timeout"));
    };
  }
}
