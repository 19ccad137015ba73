package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.OwnSignatures;
import io.sei.operator.api.v1alpha1.Validator.SigningKey;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.ThrowAwayKeys;
import io.sei.operator.testkit.samples.SeidDeaths;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A validator that checks for double signing finds its own signatures after every restart. */
class OwnSignaturesTest extends ValidatorTestCase {

  private static final PodFault FINDS_SIGNATURES = SeidDeaths.foundSignature().fault();

  @BeforeEach
  void putKey() {
    put(ThrowAwayKeys.signingKey(KEY));
  }

  @Tag("long")
  @Test
  void upgradedValidatorWaitsThemOutAndIsNotStalled() {
    createValidator(NODE);
    awaitRunning(NODE);
    assertThat(node().getStatus().ownSignatures())
        .isEqualTo(new OwnSignatures(ThrowAwayKeys.PUBLIC_KEY, null));
    kubelet.injectForImage(B, FINDS_SIGNATURES);

    setImage(B);

    awaitSays(NODE, NodeConditionType.READY, "False/WaitingOutOwnSignatures");
    assertThat(says(NODE, NodeConditionType.STALLED)).startsWith("False/");
    kubelet.clearImage(B);

    awaitUpToDate(B);
    operator.clock().jumpTo(Duration.ofMinutes(2));
    annotate(Annotations.EXPLAIN, "1");
    eventually(() -> assertThat(node().getStatus().ownSignatures().foundSince()).isNull());
    assertThat(events("Stalled")).isEmpty();
  }

  @Tag("long")
  @Test
  void signaturesThatDoNotEndAreAnotherSigners() {
    createValidator(NODE);
    awaitRunning(NODE);
    kubelet.inject(namespace, POD, FINDS_SIGNATURES);
    awaitSays(NODE, NodeConditionType.READY, "False/WaitingOutOwnSignatures");
    operator.restart();

    operator.clock().jumpTo(OwnSignatures.LIMIT.plusMinutes(1));

    awaitSays(NODE, NodeConditionType.STALLED, "True/SigningElsewhere");
  }

  @Test
  void validatorThatNeverSignedFindsThoseOfAnother() {
    kubelet.injectForImage(A, FINDS_SIGNATURES);

    createValidator(NODE);

    awaitSays(NODE, NodeConditionType.STALLED, "True/SigningElsewhere");
    assertThat(node().getStatus().ownSignatures()).isNull();
    kubelet.clearImage(A);
    awaitSays(NODE, NodeConditionType.HELD, "True/Held");
    stays(() -> assertThat(PodFacts.isIdle(pod(NODE))).isTrue());
    assertThat(says(NODE, NodeConditionType.STALLED)).isEqualTo("True/SigningElsewhere");

    annotate(Annotations.RETRY, "1");

    awaitRunning(NODE);
    assertThat(PodFacts.isIdle(pod(NODE))).isFalse();
  }

  @Tag("long")
  @Test
  void validatorWithAnotherKeyFindsThoseOfAnother() {
    createValidator(NODE);
    awaitRunning(NODE);
    put(
        ThrowAwayKeys.secret(
            KEY, Map.of(SigningKey.FILE, ThrowAwayKeys.signingKeyFile("another"))));
    kubelet.injectForImage(B, FINDS_SIGNATURES);

    setImage(B);

    awaitSays(NODE, NodeConditionType.STALLED, "True/SigningElsewhere");
  }
}
