package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.Validator.SigningKey;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.Rights;
import io.sei.operator.testkit.ThrowAwayKeys;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.samples.Samples;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One public key has one signer in a cluster: over time, over namespaces, whatever a node says. */
class SigningRecordTest extends ValidatorTestCase {

  private static final String FIRST = "alice";
  private static final String SECOND = "bob";

  private String elsewhere;
  private KubeletSimulator kubeletElsewhere;

  @Override
  protected void startOperator() {
    elsewhere = namespace + "-b";
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(elsewhere).endMetadata().build())
        .create();
    kubeletElsewhere = KubeletSimulator.inNamespace(client, sidecar, elsewhere);
    operatorAs(controlPlane.config(ControlPlane.OPERATOR))
        .with("SEI_WATCH_NAMESPACES", namespace + "," + elsewhere)
        .with("SEI_SIGNING_SCOPE", "Cluster")
        .start();
  }

  @BeforeEach
  void putKey() {
    putOwnKey(namespace, KEY);
  }

  @AfterEach
  void closeKubelet() {
    kubeletElsewhere.close();
  }

  @Tag("long")
  @Test
  void keyThatSignsInANamespaceDoesNotSignInAnother() {
    createValidator(FIRST);
    awaitRunning(FIRST);

    createElsewhere(SECOND, "a-secret-of-another-name");

    eventually(() -> assertRefused(nodeElsewhere(SECOND)));
    stays(() -> assertThat(podElsewhere(SECOND)).isNull());
  }

  /** A person or a restore may write any condition. */
  @Test
  void conditionThatSomebodyRemovesIsNoLock() {
    createValidator(FIRST);
    awaitRunning(FIRST);
    operator.stop();
    patchStatus(node(FIRST), "{'status':{'conditions':[],'signingKey':null}}");
    client.apps().statefulSets().inNamespace(namespace).withName(FIRST).scale(0);
    eventually(() -> assertThat(pod(FIRST)).isNull());
    putOwnKey(namespace, "same-key");
    put(ThrowAwayKeys.nodeKey("identity-" + SECOND));
    create(SECOND, spec(keys("same-key", "identity-" + SECOND, null)));

    operator.start();

    eventually(() -> assertRefused(node(SECOND)));
    awaitRunning(FIRST);
    stays(() -> assertThat(pod(SECOND)).isNull());
  }

  @Tag("long")
  @Test
  void keyDoesNotSignFromAnEmptyVolumeUntilTheClaimWhoseStateIsLostIsNamed() {
    createValidator(FIRST);
    awaitRunning(FIRST);
    SeiSigningKeySpec signed = record().getSpec();
    assertThat(signed.state()).isEqualTo(State.ARMED);
    assertThat(signed.holder().podUid()).isEqualTo(pod(FIRST).getMetadata().getUid());
    client.resource(node(FIRST)).delete();
    eventually(() -> assertThat(pod(FIRST)).isNull());
    createValidator(SECOND);
    eventually(
        () ->
            assertThat(condition(SECOND, NodeConditionType.STALLED).reason())
                .isEqualTo(StallReason.SIGNING_STATE_UNKNOWN.toString()));
    assertThat(condition(SECOND, NodeConditionType.SIGNING_KEY_READY).message())
        .contains(signed.claim().uid());
    stays(() -> assertThat(pod(SECOND)).isNull());

    accept(SECOND, signed.claim().uid());

    awaitRunning(SECOND);
    assertThat(record().getSpec().holder().node()).isEqualTo(SECOND);
    assertThat(record().getSpec().claim().uid()).isNotEqualTo(signed.claim().uid());
  }

  /** Deletes the record, as a restore does, or a user who clears up. */
  @Test
  void recordThatIsGoneIsMadeAgainOfThePodThatRuns() {
    createValidator(FIRST);
    awaitRunning(FIRST);
    removeRecord();

    createElsewhere(SECOND, "other");

    eventually(() -> assertRefused(nodeElsewhere(SECOND)));
    assertThat(record().getSpec().holder().node()).isEqualTo(FIRST);
    stays(() -> assertThat(podElsewhere(SECOND)).isNull());
  }

  @Tag("long")
  @Test
  void recordThatIsGoneIsMadeAgainOfTheClaimThatHasTheState() {
    createValidator(FIRST);
    awaitRunning(FIRST);
    String claim = record().getSpec().claim().uid();
    pause(FIRST, true);
    eventually(() -> assertThat(record().getSpec().holder().releasedAt()).isNotNull());
    removeRecord();

    createElsewhere(SECOND, "other");

    eventually(() -> assertRefused(nodeElsewhere(SECOND)));
    assertThat(record().getSpec().claim().uid()).isEqualTo(claim);
    stays(() -> assertThat(podElsewhere(SECOND)).isNull());
    pause(FIRST, false);
    awaitRunning(FIRST);
    assertThat(record().getSpec().holder().releasedAt()).isNull();
  }

  @Tag("long")
  @Test
  void keyThatIsReplacedIsGivenUpOnceThePodHasTheNewOne() {
    createValidator(FIRST);
    awaitRunning(FIRST);
    SeiSigningKey earlier = record();
    put(
        ThrowAwayKeys.secret(
            KEY, Map.of(SigningKey.FILE, ThrowAwayKeys.signingKeyFile(namespace + "-new"))));

    patch(node(FIRST), "{'spec':{'image':'%s'}}".formatted(B));

    eventually(
        () -> {
          assertThat(client.resource(earlier).get().getSpec().holder().releasedAt()).isNotNull();
          assertThat(node(FIRST).getStatus().signingRecord().name())
              .isNotEqualTo(earlier.getMetadata().getName());
        });
  }

  /** Two instances, each with a namespace of its own: neither sees a pod of the other. */
  @Test
  void twoReleasesHaveOneSignerThoughLeasesAndRecordsAreDeleted() {
    operator.with("SEI_WATCH_NAMESPACES", namespace).restart();
    createValidator(FIRST);
    awaitRunning(FIRST);
    client.resource(record()).delete();
    client.leases().inNamespace(namespace).delete();
    try (var other = anotherOperator(controlPlane.config(ControlPlane.OPERATOR))) {
      other.with("SEI_WATCH_NAMESPACES", elsewhere).with("SEI_SIGNING_SCOPE", "Cluster").start();

      createElsewhere(SECOND, "other");

      eventually(() -> assertRefused(nodeElsewhere(SECOND)));
      stays(() -> assertThat(podElsewhere(SECOND)).isNull());
      assertThat(record().getSpec().holder().node()).isEqualTo(FIRST);
    }
  }

  @Tag("long")
  @Test
  void validatorThatRunsBeforeThereAreRecordsIsRecordedAndKeepsItsPod() {
    operator.with("SEI_SIGNING_SCOPE", "Namespaces").restart();
    createValidator(FIRST);
    awaitRunning(FIRST);
    assertThat(condition(FIRST, NodeConditionType.SIGNING_KEY_READY).message())
        .endsWith("is not seen (SEI_SIGNING_SCOPE is Namespaces)");
    String pod = pod(FIRST).getMetadata().getUid();

    operator.with("SEI_SIGNING_SCOPE", "Cluster").restart();

    eventually(() -> assertThat(record().getSpec().holder().podUid()).isEqualTo(pod));
    stays(() -> assertThat(pod(FIRST).getMetadata().getUid()).isEqualTo(pod));
  }

  @Tag("long")
  @Test
  void twoThatRunAlreadyAreReportedAndNotStopped() {
    operator.with("SEI_SIGNING_SCOPE", "Namespaces").restart();
    createValidator(FIRST);
    createElsewhere(SECOND, "other");
    awaitRunning(FIRST);
    eventually(
        () ->
            assertThat(
                    Conditions.isTrue(
                        nodeElsewhere(SECOND).getStatus().conditions(), NodeConditionType.READY))
                .isTrue());
    List<String> pods = podUids();

    operator.with("SEI_SIGNING_SCOPE", "Cluster").restart();

    eventually(() -> assertThat(record().getSpec().alsoSigning()).isNotNull());
    eventually(
        () ->
            assertThat(List.of(node(FIRST), nodeElsewhere(SECOND)))
                .filteredOn(SigningRecordTest::isShared)
                .hasSize(1));
    stays(() -> assertThat(podUids()).isEqualTo(pods));
    assertThat(operator.scrape()).contains("sei_node_signing_key_shared{");
  }

  /** Stands in for a container that lives on and cannot be ended. */
  @Tag("long")
  @Test
  void podThatWasForceDeletedOnASilentMachineIsWaitedFor() {
    createValidator(FIRST);
    awaitRunning(FIRST);
    String machine = silentMachine();
    patch(record(), "{'spec':{'holder':{'machine':'%s'}}}".formatted(machine));
    SeiSigningKeySpec signed = record().getSpec();
    client.resource(node(FIRST)).delete();
    client.resource(pod(FIRST)).withGracePeriod(0).delete();
    eventually(() -> assertThat(pod(FIRST)).isNull());
    createValidator(SECOND);
    accept(SECOND, signed.claim().uid());

    awaitSays(SECOND, NodeConditionType.SIGNING_KEY_READY, "False/SigningUncertain");
    stays(() -> assertThat(pod(SECOND)).isNull());

    patch(record(), "{'spec':{'endedPodUid':'%s'}}".formatted(signed.holder().podUid()));
    awaitRunning(SECOND);
  }

  /** A StatefulSet makes its pod again whatever has become of the last one. */
  @Test
  void seidIsNotLetGoInANewPodWhileTheLastOneOfItsNodeMayLiveOn() {
    createValidator(FIRST);
    awaitRunning(FIRST);
    String last = record().getSpec().holder().podUid();
    patch(record(), "{'spec':{'holder':{'machine':'%s'}}}".formatted(silentMachine()));
    client.resource(pod(FIRST)).withGracePeriod(0).delete();

    awaitSays(FIRST, NodeConditionType.STALLED, "True/NodeLost");
    assertThat(condition(FIRST, NodeConditionType.STALLED).message())
        .contains("is gone, but its machine");
    String next = pod(FIRST).getMetadata().getUid();
    stays(
        () -> {
          assertThat(says(FIRST, NodeConditionType.READY)).startsWith("False/");
          assertThat(record().getSpec().holder().podUid()).isEqualTo(last).isNotEqualTo(next);
        });

    patch(record(), "{'spec':{'endedPodUid':'%s'}}".formatted(last));
    awaitRunning(FIRST);
    assertThat(record().getSpec().holder().podUid()).isEqualTo(next);
  }

  /** A restore of the SeiNode, or a crash, may leave a status that names no pod. */
  @Tag("long")
  @Test
  void seidIsNotLetGoInANewPodThoughTheStatusNamesNoPod() {
    createValidator(FIRST);
    awaitRunning(FIRST);
    String last = record().getSpec().holder().podUid();
    operator.stop();
    patch(record(), "{'spec':{'holder':{'machine':'%s'}}}".formatted(machine("True")));
    client.resource(pod(FIRST)).withGracePeriod(0).delete();
    patchStatus(node(FIRST), "{'status':{'signingRecord':null}}");

    operator.start();

    eventually(
        () ->
            assertThat(node(FIRST).getStatus().plan().currentTask().orElseThrow().message())
                .contains("may still be ending it"));
    stays(() -> assertThat(record().getSpec().holder().podUid()).isEqualTo(last));

    patch(record(), "{'spec':{'endedPodUid':'%s'}}".formatted(last));
    awaitRunning(FIRST);
  }

  @Tag("long")
  @Test
  void instanceWithoutTheRightRefusesSignersUnlessItIsToLookAtNamespacesAlone() {
    operatorAs(
            new Rights(client, namespace)
                .without("none")
                .config(controlPlane.config(ControlPlane.ADMIN)))
        .with("SEI_SIGNING_SCOPE", "Cluster")
        .start();
    createValidator(FIRST);

    awaitSays(FIRST, NodeConditionType.SIGNING_KEY_READY, "False/SigningKeyUnguarded");
    stays(() -> assertThat(pod(FIRST)).isNull());

    operator.with("SEI_SIGNING_SCOPE", "Namespaces").restart();
    awaitRunning(FIRST);
  }

  @Tag("long")
  @Test
  void nodeThatDoesNotSignCostsNoRequestForKeys() {
    create(FIRST, spec(A));
    awaitRunning(FIRST);
    patch(node(FIRST), "{'spec':{'image':'%s'}}".formatted(B));
    eventually(() -> assertThat(node(FIRST).getStatus().currentImage()).isEqualTo(B));

    assertThat(operator.requests().matching(request -> request.path().contains("/seisigningkeys")))
        .isEmpty();
  }

  private SeiSigningKey record() {
    return client.resources(SeiSigningKey.class).list().getItems().stream()
        .filter(key -> key.getSpec().publicKey().equals(ThrowAwayKeys.publicKey(namespace)))
        .findFirst()
        .orElseThrow();
  }

  /** Past its finalizer. */
  private void removeRecord() {
    SeiSigningKey record = record();
    patch(record, "{'metadata':{'finalizers':null}}");
    client.resource(record).delete();
  }

  private void accept(String node, String claim) {
    patch(
        node(node),
        "{'spec':{'validator':{'acceptSigningStateLoss':'%1$s'},'dataVolume':{'acceptDataLoss':'%1$s'}}}"
            .formatted(claim));
  }

  private List<String> podUids() {
    return List.of(pod(FIRST).getMetadata().getUid(), podElsewhere(SECOND).getMetadata().getUid());
  }

  private static boolean isShared(SeiNode node) {
    return Conditions.find(node.getStatus().conditions(), NodeConditionType.SIGNING_KEY_READY)
        .filter(condition -> condition.isFor(NodeReason.SIGNING_KEY_SHARED))
        .isPresent();
  }

  private String silentMachine() {
    return machine("Unknown");
  }

  private String machine(String ready) {
    String name = namespace + "-" + ready.toLowerCase(Locale.ROOT);
    var machine =
        client
            .resource(new NodeBuilder().withNewMetadata().withName(name).endMetadata().build())
            .create();
    machine.setStatus(
        new NodeStatusBuilder()
            .addNewCondition()
            .withType("Ready")
            .withStatus(ready)
            .withLastTransitionTime(Instant.now().toString())
            .endCondition()
            .build());
    client.resource(machine).updateStatus();
    return name;
  }

  private static void assertRefused(SeiNode node) {
    assertThat(Conditions.find(node.getStatus().conditions(), NodeConditionType.SIGNING_KEY_READY))
        .hasValueSatisfying(
            condition -> assertThat(condition.status()).isEqualTo(ConditionStatus.FALSE));
  }

  private void createElsewhere(String name, String secret) {
    putOwnKey(elsewhere, secret);
    client.resource(ThrowAwayKeys.nodeKey("identity-" + name)).inNamespace(elsewhere).create();
    client
        .resource(Samples.node(elsewhere, name, spec(keys(secret, "identity-" + name, null))))
        .create();
  }

  private SeiNode nodeElsewhere(String name) {
    return readIn(elsewhere, SeiNode.class, name);
  }

  private Pod podElsewhere(String name) {
    return readIn(elsewhere, Pod.class, name + "-0");
  }
}
