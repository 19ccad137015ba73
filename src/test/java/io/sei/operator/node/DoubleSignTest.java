package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.OwnSignatures;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.Validator.SigningKey;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.PodSigningKey;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.PodFault;
import io.sei.operator.testkit.PodRecord;
import io.sei.operator.testkit.ThrowAwayKeys;
import io.sei.operator.testkit.samples.SeidDeaths;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two nodes never sign with one key, and a validator waits out signatures that it finds. */
class DoubleSignTest extends ValidatorTestCase {

  private static final String FIRST = "alice";
  private static final String SECOND = "bob";

  private static final PodFault FINDS_SIGNATURES = SeidDeaths.foundSignature().fault();

  @BeforeEach
  void putKey() {
    put(ThrowAwayKeys.signingKey(KEY));
  }

  @Test
  void secondStartsOnceThePodOfTheFirstIsGone() {
    createValidator(FIRST);
    awaitRunning(FIRST);
    createValidator(SECOND);

    awaitSays(SECOND, NodeConditionType.SIGNING_KEY_READY, "False/InUse");
    assertThat(condition(SECOND, NodeConditionType.SIGNING_KEY_READY).message())
        .isEqualTo("Secret " + KEY + " is used by SeiNode alice (Pod alice-0)");
    awaitSays(SECOND, NodeConditionType.READY, "False/SigningKeyInUse");
    eventually(() -> assertThat(events(SECOND, "SigningKeyInUse")).hasSize(1));
    stays(() -> assertHasNothing(SECOND));

    kubelet.inject(namespace, FIRST + "-0", PodFault.HANGING_TERMINATION);
    client.resource(node(FIRST)).delete();
    eventually(() -> assertThat(pod(FIRST).getMetadata().getDeletionTimestamp()).isNotNull());
    eventually(() -> assertThat(node(FIRST)).isNull());
    stays(() -> assertHasNothing(SECOND));
    kubelet.clear(namespace, FIRST + "-0");

    awaitRunning(SECOND);
    assertThat(says(SECOND, NodeConditionType.SIGNING_KEY_READY))
        .isEqualTo("True/SigningKeyValidated");
    assertNeverTogether();
  }

  @Test
  @Tag("long")
  void pausedValidatorLendsItsKeyAndGetsItBack() {
    createValidator(FIRST);
    awaitRunning(FIRST);
    pause(FIRST, true);
    eventually(() -> assertThat(pod(FIRST)).isNull());
    createValidator(SECOND);
    awaitRunning(SECOND);

    pause(FIRST, false);
    awaitSays(FIRST, NodeConditionType.SIGNING_KEY_READY, "False/InUse");
    awaitSays(FIRST, NodeConditionType.READY, "False/SigningKeyInUse");
    stays(() -> assertThat(pod(FIRST)).isNull());

    pause(SECOND, true);
    awaitRunning(FIRST);
    assertNeverTogether();
  }

  @Tag("long")
  @Test
  void runningNodeThatIsGivenAKeyInUseKeepsItsPodWithoutIt() {
    createValidator(FIRST);
    awaitRunning(FIRST);
    put(ThrowAwayKeys.nodeKey("identity-" + SECOND));
    create(SECOND, spec(new Validator(null, null, null, null, null, null, null, null)));
    awaitRunning(SECOND);
    String pod = pod(SECOND).getMetadata().getUid();

    patch(
        node(SECOND),
        ("{'spec':{'validator':{'signingKey':{'secret':{'secretName':'%s'}},"
                + "'nodeKey':{'secret':{'secretName':'identity-bob'}}}}}")
            .formatted(KEY));

    awaitSays(SECOND, NodeConditionType.SIGNING_KEY_READY, "False/InUse");
    stays(() -> assertThat(pod(SECOND).getMetadata().getUid()).isEqualTo(pod));
    assertThat(says(SECOND, NodeConditionType.READY)).isEqualTo("True/PodReady");
    client.resource(node(FIRST)).delete();
    eventually(() -> assertThat(history(SECOND)).hasSize(2));
    awaitRunning(SECOND);
  }

  /** Covers the state that the Go operator leaves, which stores the condition alone. */
  @Test
  void restartedOperatorKnowsWhoHasTheKey() {
    createValidator(FIRST);
    awaitRunning(FIRST);
    createValidator(SECOND);
    awaitSays(SECOND, NodeConditionType.SIGNING_KEY_READY, "False/InUse");
    assertThat(node(FIRST).getStatus().signingKey().secret()).isEqualTo(KEY);
    assertThat(node(SECOND).getStatus().signingKey()).isNull();
    operator.stop();
    patchStatus(node(FIRST), "{'status':{'signingKey':null}}");

    operator.start();

    eventually(() -> assertThat(node(FIRST).getStatus().signingKey().secret()).isEqualTo(KEY));
    stays(() -> assertHasNothing(SECOND));
    operator.restart();
    stays(() -> assertHasNothing(SECOND));
    assertThat(says(FIRST, NodeConditionType.READY)).isEqualTo("True/PodReady");
    assertThat(history(FIRST)).hasSize(1);
    client.resource(node(FIRST)).delete();
    awaitRunning(SECOND);
    assertThat(node(SECOND).getStatus().signingKey().secret()).isEqualTo(KEY);
    assertNeverTogether();
  }

  @Tag("long")
  @Test
  void olderOneWinsWhenTheGoOperatorHadValidatedTheKeyForBoth() {
    operator.stop();
    createValidator(FIRST);
    createValidator(SECOND);
    for (String claiming : List.of(FIRST, SECOND)) {
      patchStatus(
          node(claiming),
          "{'status':{'conditions':[{'type':'SigningKeyReady','status':'True','message':'',"
              + "'reason':'SigningKeyValidated','lastTransitionTime':'2026-06-01T10:00:00Z'}]}}");
    }

    operator.start();

    awaitRunning(FIRST);
    awaitSays(SECOND, NodeConditionType.SIGNING_KEY_READY, "False/InUse");
    stays(() -> assertHasNothing(SECOND));
    assertThat(kubelet.history(namespace, SECOND + "-0")).isEmpty();
  }

  private void assertHasNothing(String node) {
    assertThat(client.apps().statefulSets().inNamespace(namespace).withName(node).get()).isNull();
    assertThat(pod(node)).isNull();
  }

  private Stream<PodRecord> history(String node) {
    return kubelet.history(namespace, node + "-0").stream();
  }

  /** At no moment did both have a pod. */
  private void assertNeverTogether() {
    for (PodRecord one : history(FIRST).toList()) {
      for (PodRecord other : history(SECOND).toList()) {
        assertThat(isBefore(one, other) || isBefore(other, one))
            .as("%s and %s", one, other)
            .isTrue();
      }
    }
  }

  private static boolean isBefore(PodRecord one, PodRecord other) {
    return one.deletedAt() != null && !one.deletedAt().isAfter(other.createdAt());
  }

  /** A validator that checks for double signing finds its own signatures after every restart. */
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

  /** The Secret holds the key of another validator by now; what is held signs with none. */
  @Tag("long")
  @Test
  void keyThatIsRefusedKeepsNoValidatorFromBeingHeld() throws Exception {
    startWithRecords();
    putOwnKey(namespace, KEY);
    put(ThrowAwayKeys.nodeKey("identity-" + FIRST));
    create(FIRST, spec(keys(KEY, "identity-" + FIRST, null)));
    Map<String, String> other =
        Map.of(SigningKey.FILE, ThrowAwayKeys.signingKeyFile(namespace + "-other"));
    put(ThrowAwayKeys.secret("other-key", other));
    put(ThrowAwayKeys.nodeKey("identity-" + SECOND));
    create(SECOND, spec(keys("other-key", "identity-" + SECOND, null)));
    awaitRunning(FIRST);
    awaitRunning(SECOND);
    put(ThrowAwayKeys.secret(KEY, other));
    patch(node(FIRST), "{'spec':{'image':'%s'}}".formatted(B));
    eventually(() -> assertRefused(node(FIRST)));

    patch(node(FIRST), "{'spec':{'maintenance':{'hold':'Immediate'}}}");

    awaitSays(FIRST, NodeConditionType.HELD, "True/Held");
    assertThat(PodSigningKey.of(pod(FIRST))).contains(ThrowAwayKeys.publicKey(namespace));

    patch(node(FIRST), "{'spec':{'maintenance':null}}");

    awaitSays(FIRST, NodeConditionType.HELD, "False/NotHeld");
    eventually(() -> assertRefused(node(FIRST)));
    assertThat(PodFacts.isIdle(pod(FIRST))).isTrue();
  }

  private static void assertRefused(SeiNode node) {
    assertThat(Conditions.find(node.getStatus().conditions(), NodeConditionType.SIGNING_KEY_READY))
        .hasValueSatisfying(
            condition -> assertThat(condition.status()).isEqualTo(ConditionStatus.FALSE));
  }
}
