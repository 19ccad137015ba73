package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.PlanPhase;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.TaskStatus;
import io.sei.operator.api.v1alpha1.UpdatePolicy;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.Validator.SigningKey;
import io.sei.operator.node.feature.PodSigningKey;
import io.sei.operator.render.Annotations;
import io.sei.operator.testkit.Cases;
import io.sei.operator.testkit.RequestLog;
import io.sei.operator.testkit.ThrowAwayKeys;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Reports missing and invalid Secrets with keys before there is a pod. */
class ValidatorKeysTest extends ValidatorTestCase {

  private static final Validator ALL_KEYS = keys(KEY, "identity", keyring("keyring", "passphrase"));

  private static final String OTHER_KEY = ThrowAwayKeys.publicKey("another");

  private static final List<NodeConditionType> CONDITIONS =
      List.of(
          NodeConditionType.SIGNING_KEY_READY,
          NodeConditionType.NODE_KEY_READY,
          NodeConditionType.OPERATOR_KEYRING_READY);

  static Stream<Arguments> secrets() {
    return Cases.of(
        1,
        Arguments.of(KEY, "SigningKey", NodeConditionType.SIGNING_KEY_READY),
        Arguments.of("identity", "NodeKey", NodeConditionType.NODE_KEY_READY),
        Arguments.of("keyring", "OperatorKeyring", NodeConditionType.OPERATOR_KEYRING_READY),
        Arguments.of("passphrase", "OperatorKeyring", NodeConditionType.OPERATOR_KEYRING_READY));
  }

  /** A false report is never made, not even for a moment. */
  @Test
  void validatorWithAllItsKeysRunsAndHasNothingToComplainAbout() {
    putKeys(ALL_KEYS);
    try (var versions = new NodeVersions(client, namespace)) {
      create(spec(ALL_KEYS));

      awaitRunning(NODE);
      assertThat(versions.seen(SeiNodeStatus::plan).get(0).tasks())
          .extracting(PlannedTask::type)
          .containsSubsequence(
              "ensure-data-pvc",
              "validate-signing-key",
              "validate-node-key",
              "validate-operator-keyring",
              "apply-statefulset");
      assertThat(versions.seen(SeiNodeStatus::conditions).stream().flatMap(List::stream))
          .allSatisfy(
              said -> {
                assertThat(said.message()).doesNotContain("is gone");
                assertThat(said.type() + "=" + said.status()).isNotEqualTo("Stalled=True");
                assertThat(said.reason()).isNotEqualTo("SigningStateUnknown");
              });
    }
    assertThat(CONDITIONS.stream().map(type -> says(NODE, type)))
        .containsExactly(
            "True/SigningKeyValidated", "True/NodeKeyValidated", "True/OperatorKeyringValidated");
    assertThat(images()).containsExactly(A);
    assertThat(events("Stalled")).isEmpty();
    assertThat(requests("GET", "/secrets"))
        .extracting(RequestLog.Request::path)
        .as("Secrets are read by name only")
        .allSatisfy(
            path -> assertThat(path).matches(".*/namespaces/" + namespace + "/secrets/[a-z-]+"));
    assertNothingIsTold();
  }

  @Tag("long")
  @ParameterizedTest(name = "{0}")
  @MethodSource("secrets")
  void secretMayAppearLater(String name, String reason, NodeConditionType type) {
    putKeys(ALL_KEYS);
    client.secrets().inNamespace(namespace).withName(name).delete();
    create(spec(ALL_KEYS));

    awaitSays(NODE, type, "False/" + reason + "NotReady");
    awaitSays(NODE, NodeConditionType.READY, "False/" + cause(reason) + "Missing");
    assertThat(condition(NODE, type).message()).isEqualTo("Secret " + name + " does not exist");
    assertThat(statefulSet()).isNull();
    putKeys(ALL_KEYS);

    awaitRunning(NODE);
    assertThat(says(NODE, type)).isEqualTo("True/" + reason + "Validated");
    assertThat(images()).containsExactly(A);
  }

  @Tag("long")
  @ParameterizedTest(name = "{0}")
  @MethodSource("secrets")
  void secretOfNoUseIsToldUntilItIsCorrected(String name, String reason, NodeConditionType type) {
    putKeys(ALL_KEYS);
    put(ThrowAwayKeys.secret(name, Map.of("wrong", ThrowAwayKeys.MATERIAL)));
    create(spec(ALL_KEYS));

    awaitSays(NODE, NodeConditionType.STALLED, "True/" + cause(reason) + "Invalid");
    assertThat(says(NODE, type)).isEqualTo("False/" + reason + "Invalid");
    assertThat(condition(NODE, NodeConditionType.STALLED).message())
        .startsWith("Secret " + name + " has no ")
        .endsWith("; correct the Secret; the node goes on by itself within seconds");
    assertThat(node().getStatus().reason()).isEqualTo(cause(reason) + "Invalid");
    assertThat(statefulSet()).isNull();
    eventually(() -> assertThat(events(reason + "Invalid")).hasSize(1));
    assertNothingIsTold();
    stays(() -> assertThat(says(NODE, NodeConditionType.STALLED)).startsWith("True/"));

    putKeys(ALL_KEYS);

    awaitRunning(NODE);
    assertThat(says(NODE, type)).isEqualTo("True/" + reason + "Validated");
    eventually(() -> assertThat(events("Recovered")).hasSize(1));
    assertThat(events("PlanFailed")).isEmpty();
  }

  /** Returns the cause of a reason; only that of the signing key's Secret is named after it. */
  private static String cause(String reason) {
    return reason.equals("SigningKey") ? reason : "KeySecret";
  }

  /** The Go operator gives up where a Secret is of no use. */
  @Tag("long")
  @Test
  void planThatTheGoOperatorGaveUpGoesOnByItself() {
    putKeys(ALL_KEYS);
    client.secrets().inNamespace(namespace).withName(KEY).delete();
    create(spec(ALL_KEYS));
    awaitSays(NODE, NodeConditionType.SIGNING_KEY_READY, "False/SigningKeyNotReady");
    operator.stop();
    failPlan();
    putKeys(ALL_KEYS);

    operator.start();

    awaitRunning(NODE);
  }

  private void failPlan() {
    SeiNode node = node();
    TaskPlan plan = node.getStatus().plan();
    var tasks =
        plan.tasks().stream()
            .map(
                task ->
                    task.type().equals("validate-signing-key")
                        ? task.with(
                            builder -> builder.status(TaskStatus.FAILED).reason(null).message(null))
                        : task)
            .toList();
    node.setStatus(
        node.getStatus()
            .with(
                builder ->
                    builder
                        .phase(NodePhase.FAILED)
                        .plan(
                            plan.with(
                                failed ->
                                    failed
                                        .phase(PlanPhase.FAILED)
                                        .tasks(tasks)
                                        .finishedAt(plan.startedAt())))));
    client.resource(node).updateStatus();
  }

  @Tag("long")
  @Test
  void editedSpecTriesAgainToo() {
    putKeys(ALL_KEYS);
    put(
        ThrowAwayKeys.secret(
            "keyring", Map.of("keyhash", "x", "other.info", "x", "a.address", "other")));
    create(spec(ALL_KEYS));
    awaitSays(NODE, NodeConditionType.STALLED, "True/KeySecretInvalid");

    patch("{'spec':{'validator':{'operatorKeyring':{'secret':{'keyName':'other'}}}}}");

    awaitRunning(NODE);
  }

  /** A hold only takes away; the key is looked at again before seid starts. */
  @Test
  void brokenKeyCostsNoPodKeepsNoValidatorFromBeingHeldAndItsSeidFromStarting() {
    putKeys(ALL_KEYS);
    create(spec(ALL_KEYS));
    awaitRunning(NODE);
    String pod = podUid();
    put(ThrowAwayKeys.secret(KEY, Map.of("wrong", "x")));
    setImage(B);
    awaitSays(NODE, NodeConditionType.STALLED, "True/SigningKeyInvalid");
    assertThat(says(NODE, NodeConditionType.UP_TO_DATE)).isEqualTo("False/PlanActive");
    assertThat(says(NODE, NodeConditionType.SIGNING_KEY_READY))
        .isEqualTo("False/SigningKeyInvalid");
    assertThat(says(NODE, NodeConditionType.READY)).isEqualTo("True/PodReady");
    assertThat(podUid()).isEqualTo(pod);

    patch("{'spec':{'maintenance':{'hold':'Immediate'}}}");

    awaitSays(NODE, NodeConditionType.HELD, "True/Held");
    assertThat(images()).containsExactly(A, B);
    String held = podUid();

    patch("{'spec':{'maintenance':null}}");

    awaitSays(NODE, NodeConditionType.STALLED, "True/SigningKeyInvalid");
    assertThat(podUid()).isEqualTo(held);
    put(ThrowAwayKeys.signingKey(KEY));

    awaitUpToDate(B);
    assertThat(images()).containsExactly(A, B, B);
    assertThat(startedFor()).contains(ThrowAwayKeys.PUBLIC_KEY);
  }

  /** The start script of the pod compares it with what is mounted; ScriptsTest has that. */
  @Test
  void podIsStartedForTheKeyThatItsPlanHasSeen() {
    putKeys(ALL_KEYS);
    create(spec(ALL_KEYS));
    awaitRunning(NODE);
    String pod = podUid();
    assertThat(startedFor()).contains(ThrowAwayKeys.PUBLIC_KEY);

    swapKey();
    operator.restart();
    annotate(Annotations.EXPLAIN, "1");
    eventually(() -> assertThat(node().getStatus().explain().request()).isEqualTo("1"));
    assertThat(podUid()).isEqualTo(pod);
    assertThat(startedFor()).contains(ThrowAwayKeys.PUBLIC_KEY);
    assertThat(events("SigningKeyChanged")).isEmpty();

    annotate(Annotations.RESTART_REQUESTED_AT, "now");

    eventually(() -> assertThat(podUid()).isNotEqualTo(pod));
    awaitRunning(NODE);
    assertThat(startedFor()).contains(OTHER_KEY);
    eventually(() -> assertThat(events("SigningKeyChanged")).hasSize(1));
    assertThat(images()).containsExactly(A, A);
  }

  @Test
  void aSecretThatComesToHoldTheKeyOfAnotherValidatorIsReportedWithBothNodes() {
    putKeys(ALL_KEYS);
    create(spec(ALL_KEYS));
    put(
        ThrowAwayKeys.secret(
            "other", Map.of(SigningKey.FILE, ThrowAwayKeys.signingKeyFile("another"))));
    put(ThrowAwayKeys.nodeKey("identity-other"));
    create("other", spec(keys("other", "identity-other", null)));
    awaitRunning(NODE);
    awaitRunning("other");
    String pod = podUid();

    swapKey();
    operator.restart();

    awaitSays(NODE, NodeConditionType.SIGNING_KEY_READY, "False/SigningKeyChanged");
    assertThat(condition(NODE, NodeConditionType.SIGNING_KEY_READY).message())
        .startsWith(
            "Secret " + KEY + " of SeiNode node now holds the signing key of SeiNode other;");
    assertThat(node().getStatus().signingKey()).isNotNull();
    assertThat(podUid()).isEqualTo(pod);
    eventually(() -> assertThat(events("SigningKeyChanged")).hasSize(1));

    put(ThrowAwayKeys.signingKey(KEY));
    operator.restart();

    awaitSays(NODE, NodeConditionType.SIGNING_KEY_READY, "True/SigningKeyValidated");
  }

  /** The container that is restarted for it would mount the other key in a pod started for this. */
  @Tag("long")
  @Test
  void keyThatWasSwappedGetsANewPodThoughUpdatesInPlaceAreAskedFor() {
    putKeys(ALL_KEYS);
    create(
        spec(ALL_KEYS)
            .withUpdatePolicy(new UpdatePolicy(UpdatePolicy.OfPod.IN_PLACE_IF_POSSIBLE, null)));
    awaitRunning(NODE);
    String pod = podUid();
    setImage(B);
    awaitUpToDate(B);
    assertThat(podUid()).isEqualTo(pod);
    swapKey();

    setImage(C);

    awaitUpToDate(C);
    assertThat(images()).containsExactly(A, C);
    assertThat(node().getStatus().podUpdate().message())
        .isEqualTo("more than its images and resources changes");
    assertThat(startedFor()).contains(OTHER_KEY);
  }

  /** Starts the validator as the Go operator does. */
  @Tag("long")
  @Test
  void runningValidatorWhoseKeyIsNotRecordedIsLeftAlone() {
    putKeys(ALL_KEYS);
    create(spec(ALL_KEYS));
    awaitRunning(NODE);
    String pod = podUid();

    patchStatus(node(), "{'status':{'signingPublicKey':null}}");
    operator.restart();

    eventually(
        () ->
            assertThat(
                    PodSigningKey.of(
                        new PodBuilder()
                            .withSpec(statefulSet().getSpec().getTemplate().getSpec())
                            .build()))
                .isEmpty());
    stays(() -> assertThat(podUid()).isEqualTo(pod));

    setImage(B);

    awaitUpToDate(B);
    assertThat(startedFor()).contains(ThrowAwayKeys.PUBLIC_KEY);
    assertThat(events("SigningKeyChanged")).isEmpty();
  }

  /** Otherwise the next pod would sign with whatever its Secret holds then. */
  @Tag("long")
  @Test
  void validatorThatIsAppliedAgainKnowsForWhichKeyItsPodWasStarted() {
    putKeys(ALL_KEYS);
    create(spec(ALL_KEYS));
    awaitRunning(NODE);
    String pod = podUid();
    awaitGarbageCollector();
    client.resource(node()).withPropagationPolicy(DeletionPropagation.ORPHAN).delete();
    eventually(
        () -> {
          assertThat(node()).isNull();
          assertThat(statefulSet().getMetadata().getOwnerReferences()).isEmpty();
        });
    swapKey();

    create(spec(ALL_KEYS));

    awaitRunning(NODE);
    assertThat(podUid()).isEqualTo(pod);
    assertThat(node().getStatus().signingPublicKey()).isEqualTo(ThrowAwayKeys.PUBLIC_KEY);
  }

  private void swapKey() {
    put(
        ThrowAwayKeys.secret(
            KEY, Map.of(SigningKey.FILE, ThrowAwayKeys.signingKeyFile("another"))));
  }

  private Optional<String> startedFor() {
    return PodSigningKey.of(pod());
  }

  /** Neither in the status nor in events. */
  private void assertNothingIsTold() {
    String encoded =
        ThrowAwayKeys.signingKey(KEY).getData().values().iterator().next().substring(0, 40);
    String said =
        Serialization.asYaml(node())
            + Serialization.asYaml(client.v1().events().inNamespace(namespace).list());
    assertThat(said).doesNotContain(ThrowAwayKeys.MATERIAL).doesNotContain(encoded);
  }

  @Tag("long")
  @Test
  void keyThatIsNoLongerReferredToIsNotJudged() {
    put(ThrowAwayKeys.nodeKey("identity"));
    create(spec(keys(KEY, "identity", null)));
    awaitSays(NODE, NodeConditionType.SIGNING_KEY_READY, "False/SigningKeyNotReady");

    patch("{'spec':{'validator':{'signingKey':null,'nodeKey':null}}}");

    awaitRunning(NODE);
    assertThat(says(NODE, NodeConditionType.SIGNING_KEY_READY)).isEqualTo("Unknown/NotReferenced");
  }
}
