package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.apps.ControllerRevisionBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.render.Labels;
import io.sei.operator.testkit.samples.Samples;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An object that the operator cannot read is unknown, and stops the reconcile of no other. */
class UnreadableNodeTest extends ValidatorTestCase {

  private static final String FIRST = "alice";
  private static final String SECOND = "bob";
  private static final String DEEP = "[".repeat(1_100) + "]".repeat(1_100);

  /** Makes a spec one that cannot be read. */
  private static String values(String value) {
    return "{'spec':{'configValues':[{'fileName':'app.toml','key':'a.b','value':%s}]}}"
        .formatted(value);
  }

  @Test
  void objectsThatCannotBeReadStopNoOtherNode() {
    createRunning();

    createHostileObjects();

    setImage(B);
    awaitUpToDate(B);
    assertThat(says("deep", NodeConditionType.READY)).isEqualTo("False/InvalidSpec");
    operator.restart();
    setImage(A);
    awaitUpToDate(A);
    assertThat(images()).containsExactly(A, B, A);
    assertUnreadable("deep", "spec.configValues[0].value: has more than 16 levels");
    assertUnreadable("wide", "spec.configValues[0].value: is larger than 4 KiB");
    assertUnreadable("large", "spec: is larger than 256 KiB");
  }

  @Test
  void aValidatorThatCannotBeReadKeepsItsKeyAndGoesOn() throws Exception {
    startWithRecords();
    putOwnKey(namespace, KEY);
    createValidator(FIRST);
    awaitRunning(FIRST);
    SeiNode before = node(FIRST);
    String pod = pod(FIRST).getMetadata().getUid();
    SeiSigningKey record = record();
    StatefulSet set = read(StatefulSet.class, FIRST);

    patch(node(FIRST), values(DEEP));
    patch(node(FIRST), "{'spec':{'paused':true,'image':'%s'}}".formatted(B));

    awaitSays(FIRST, NodeConditionType.STALLED, "True/InvalidSpec");
    createValidator(SECOND);
    awaitSays(SECOND, NodeConditionType.SIGNING_KEY_READY, "False/InUse");
    operator.restart();
    awaitAnotherLook();
    assertThat(pod(SECOND)).isNull();
    assertThat(pod(FIRST).getMetadata().getUid()).isEqualTo(pod);
    assertThat(read(StatefulSet.class, FIRST).getMetadata().getGeneration())
        .isEqualTo(set.getMetadata().getGeneration());
    assertThat(record().getSpec()).isEqualTo(record.getSpec());
    assertThat(kept(node(FIRST))).isEqualTo(kept(before));
    assertThat(condition(FIRST, NodeConditionType.SIGNING_KEY_READY))
        .isEqualTo(
            Conditions.find(before.getStatus().conditions(), NodeConditionType.SIGNING_KEY_READY)
                .orElseThrow());

    patch(node(FIRST), "{'spec':{'configValues':null,'paused':null,'image':'%s'}}".formatted(A));

    awaitRunning(FIRST);
    assertThat(pod(FIRST).getMetadata().getUid()).isEqualTo(pod);
    assertThat(pod(SECOND)).isNull();
  }

  private static List<Object> kept(SeiNode node) {
    SeiNodeStatus status = node.getStatus();
    return Arrays.asList(
        status.phase(),
        status.signingKey(),
        status.signingPublicKey(),
        status.nodeId(),
        status.statefulSet(),
        status.dataVolume(),
        status.podSpecHash(),
        status.config(),
        status.currentImage());
  }

  private SeiSigningKey record() {
    return client.resources(SeiSigningKey.class).list().getItems().stream()
        .filter(key -> key.getSpec().holder().namespace().equals(namespace))
        .findFirst()
        .orElseThrow();
  }

  @Tag("long")
  @Test
  void aHeldNodeThatCannotBeReadStaysHeld() {
    createRunning();
    patch("{'spec':{'maintenance':{'hold':'Immediate'}}}");
    eventually(() -> assertCondition(NodeConditionType.HELD, ConditionStatus.TRUE));
    String pod = podUid();
    final String budget = budget();

    patch(values(DEEP));
    patch("{'spec':{'maintenance':null}}");

    awaitStalled("InvalidSpec");
    awaitAnotherLook();
    assertThat(podUid()).isEqualTo(pod);
    assertThat(budget()).isEqualTo(budget);
    assertThat(condition(NodeConditionType.HELD).isTrue()).isTrue();

    patch("{'spec':{'configValues':null,'maintenance':{'hold':'Immediate'}}}");
    eventually(() -> assertCondition(NodeConditionType.STALLED, ConditionStatus.FALSE));
    assertCondition(NodeConditionType.HELD, ConditionStatus.TRUE);
    assertThat(podUid()).isEqualTo(pod);
  }

  private String budget() {
    return readAll(PodDisruptionBudget.class).getFirst().getMetadata().getUid();
  }

  @Tag("long")
  @Test
  void aNodeWithoutAReadableStatusIsLeftAloneUntilItIsDeleted() {
    createRunning();
    patch("{'spec':{'dataVolume':{'onDelete':'Retain'}}}");
    eventually(() -> assertThat(node().getMetadata().getFinalizers()).isNotEmpty());
    String pod = podUid();

    patchStatus(node(), status("[".repeat(100) + "]".repeat(100)));
    setImage(B);

    eventually(() -> assertThat(events("Unreadable")).isNotEmpty());
    assertThat(events("Unreadable").getFirst().getMessage())
        .contains("status.plan.tasks[0].params has more than 64 levels");
    final String version = node().getMetadata().getResourceVersion();
    operator.restart();
    eventually(() -> assertThat(occurrences("Unreadable")).isGreaterThan(1));
    assertThat(node().getMetadata().getResourceVersion()).isEqualTo(version);
    assertThat(podUid()).isEqualTo(pod);

    patchStatus(node(), "{'status':{'plan':null}}");
    awaitUpToDate(B);
    patchStatus(node(), status("[".repeat(100) + "]".repeat(100)));
    client.resource(node()).delete();
    eventually(() -> assertThat(node()).isNull());
    assertThat(readAll(PersistentVolumeClaim.class))
        .hasSize(1)
        .allMatch(claim -> claim.getMetadata().getOwnerReferences().isEmpty());
  }

  /** A plan that the operator did not make. */
  private static String status(String params) {
    return ("{'status':{'plan':{'id':'x','kind':'Update','phase':'Failed','tasks':[{'id':'y',"
            + "'type':'mark-ready','status':'Failed','params':%s}]}}}")
        .formatted(params);
  }

  private void createHostileObjects() {
    createPaused("deep", DEEP);
    createPaused("wide", "[" + "[],".repeat(3_000) + "1]");
    createPaused("large", "[" + "[],".repeat(140_000) + "1]");
    String filler = "x".repeat(900_000);
    create(
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName("filler")
            .addToLabels(Labels.NODE, "deep")
            .endMetadata()
            .addToData("a", filler)
            .build());
    create(largeStatefulSet());
    create(
        new ControllerRevisionBuilder()
            .withNewMetadata()
            .withName("fleet-deep-1")
            .addToLabels(Labels.NODE_DEPLOYMENT, "fleet")
            .endMetadata()
            .withRevision(1L)
            .withData(
                client.getKubernetesSerialization().unmarshal("{\"a\":" + DEEP + "}", Map.class))
            .build());
  }

  private StatefulSet largeStatefulSet() {
    return new StatefulSetBuilder()
        .withNewMetadata()
        .withName("large")
        .addToLabels(Labels.NODE, "large")
        .endMetadata()
        .withNewSpec()
        .withReplicas(0)
        .withNewSelector()
        .addToMatchLabels("a", "b")
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .addToLabels("a", "b")
        .endMetadata()
        .withNewSpec()
        .addNewContainer()
        .withName("a")
        .withImage("a")
        .withCommand("x".repeat(600_000))
        .endContainer()
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  private void createPaused(String name, String value) {
    SeiNode node = Samples.node(namespace, name, spec(A).with(builder -> builder.paused(true)));
    client.resource(node).create();
    patch(read(SeiNode.class, name), values(value));
  }

  private <T extends HasMetadata> void create(T object) {
    client.resource(object).inNamespace(namespace).create();
  }

  private void assertUnreadable(String node, String problem) {
    Stream.of(NodeConditionType.READY, NodeConditionType.STALLED)
        .forEach(type -> assertThat(condition(node, type).message()).contains(problem));
    assertThat(says(node, NodeConditionType.STALLED)).isEqualTo("True/InvalidSpec");
  }
}
