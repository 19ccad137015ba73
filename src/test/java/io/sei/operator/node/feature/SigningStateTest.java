package io.sei.operator.node.feature;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.DataReset;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.ValidatorTestCase;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Which resets of a node's data are carried out. */
class SigningStateTest {

  private static final SeiNodeSpec FULL = aNode("sei:a").build().getSpec();
  private static final SeiNodeSpec SIGNS =
      FULL.with(builder -> builder.fullNode(null).validator(ValidatorTestCase.keysOf("node")));
  private static final SeiNodeStatus UNTOUCHED = SeiNodeStatus.empty().withDataClaimUid("claim-1");
  private static final SeiNodeStatus RESET =
      UNTOUCHED.withDataReset(new DataReset(2L, "claim-1", null, null));

  static Stream<Arguments> resets() {
    return Stream.of(
        Arguments.of("none asked for", FULL, UNTOUCHED, null),
        Arguments.of("the first", asks(FULL, 1), UNTOUCHED, 1L),
        Arguments.of("the next", asks(FULL, 3), RESET, 3L),
        Arguments.of("one that was done", asks(FULL, 2), RESET, 2L),
        Arguments.of("of a validator", asks(SIGNS, 1), UNTOUCHED, null),
        Arguments.of("of a validator, again", asks(SIGNS, 3), RESET, 2L),
        Arguments.of("of a validator, done", asks(SIGNS, 2), RESET, 2L),
        Arguments.of("accepted", asks(accepting("claim-1"), 1), UNTOUCHED, 1L),
        Arguments.of("accepted for another", asks(accepting("claim-2"), 1), UNTOUCHED, null),
        Arguments.of("accepted, no claim", asks(accepting(""), 1), SeiNodeStatus.empty(), null));
  }

  @ParameterizedTest(name = "{0}: {3}")
  @MethodSource("resets")
  void onlyWhatLosesNoSigningStateIsCarriedOut(
      String name, SeiNodeSpec spec, SeiNodeStatus status, Long expected) {
    SeiNode node = aNode("sei:a").spec(spec).status(status).build();

    assertThat(
            EffectiveNode.of(
                    node, Optional.empty(), Optional.empty(), NodeSample.NOW, OfflineNode.FEATURES)
                .node()
                .getSpec()
                .dataResetGeneration())
        .isEqualTo(expected);
  }

  private static SeiNodeSpec asks(SeiNodeSpec spec, long generation) {
    return spec.withDataResetGeneration(generation);
  }

  private static SeiNodeSpec accepting(String claimUid) {
    return SIGNS.withValidator(SIGNS.validator().withAcceptSigningStateLoss(claimUid));
  }
}
