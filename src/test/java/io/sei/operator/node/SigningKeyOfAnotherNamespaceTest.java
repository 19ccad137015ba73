package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.Validator.RemoteSigner;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.render.Labels;
import io.sei.operator.render.Names;
import io.sei.operator.render.NodeMode;
import io.sei.operator.testkit.KubeletSimulator;
import io.sei.operator.testkit.ThrowAwayKeys;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.samples.Samples;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Another namespace knows the public key of a validator, which the chain publishes, and neither
 * blocks the validator nor takes over its key.
 */
class SigningKeyOfAnotherNamespaceTest extends ValidatorTestCase {

  private static final String VICTIM = "alice";
  private static final String ATTACKER = "mallory";

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

  /** The squatter's node runs first; both nodes show that the key is shared. */
  @Test
  void declaredKeyKeepsNoValidatorOfAnotherNamespaceFromStarting() {
    createAttacker(remoteSigner());
    eventually(() -> assertThat(podElsewhere()).isNotNull());

    createValidator(VICTIM);

    eventually(() -> assertThat(pod(VICTIM)).isNotNull());
    awaitSays(VICTIM, NodeConditionType.READY, "True/PodReady");
    awaitSays(VICTIM, NodeConditionType.SIGNING_KEY_READY, "False/SigningKeyShared");
    eventually(() -> assertThat(keyConditionElsewhere().reason()).isEqualTo("SigningKeyShared"));
    assertThat(keyConditionElsewhere().message()).doesNotContain(VICTIM, namespace);

    client.resource(nodeElsewhere()).delete();

    awaitSays(VICTIM, NodeConditionType.SIGNING_KEY_READY, "True/SigningKeyValidated");
  }

  /** Accepting the loss of another namespace's signing state takes nothing from it. */
  @Test
  void keyOfPausedValidatorIsTakenByAnotherNamespaceWithTheHoldersWordAlone() {
    createValidator(VICTIM);
    awaitRunning(VICTIM);
    SeiSigningKeySpec.Claim claim = record().getSpec().claim();
    pause(VICTIM, true);
    eventually(() -> assertThat(record().getSpec().holder().releasedAt()).isNotNull());

    createAttacker(remoteSigner().withAcceptSigningStateLoss(claim.uid()));

    eventually(() -> assertThat(keyConditionElsewhere().reason()).isEqualTo("InUse"));
    assertThat(keyConditionElsewhere().message())
        .doesNotContain(claim.uid(), claim.name(), VICTIM)
        .contains("kubectl patch seisigningkey " + record().getMetadata().getName());
    stays(() -> assertThat(podElsewhere()).isNull());

    pause(VICTIM, false);

    awaitRunning(VICTIM);
    assertThat(record().getSpec().holder().namespace()).isEqualTo(namespace);

    patch(
        node(VICTIM),
        "{'spec':{'paused':true,'validator':{'signingKeyTransferTo':{'namespace':'%s','node':'%s'}}}}"
            .formatted(elsewhere, ATTACKER));

    eventually(() -> assertThat(keyConditionElsewhere().reason()).isEqualTo("SigningStateMissing"));
    SeiSigningKeySpec taken = record().getSpec();
    assertThat(taken.holder().node()).isEqualTo(ATTACKER);
    assertThat(taken.transferTo()).isNull();
    assertThat(keyConditionElsewhere().message()).doesNotContain(claim.uid(), claim.name(), VICTIM);
    patch(
        nodeElsewhere(),
        "{'spec':{'validator':{'acceptSigningStateLoss':'%s'}}}".formatted(taken.holder().since()));
    eventually(() -> assertThat(podElsewhere()).isNotNull());
  }

  @Tag("long")
  @Test
  void podThatNamesTheKeyKeepsNoValidatorFromStarting() {
    createDecoy();
    createValidator(VICTIM);
    awaitRunning(VICTIM);
    pause(VICTIM, true);
    eventually(() -> assertThat(pod(VICTIM)).isNull());

    pause(VICTIM, false);

    awaitRunning(VICTIM);
  }

  private Validator remoteSigner() {
    return ValidatorBuilder.builder()
        .remoteSigner(new RemoteSigner("tcp://0.0.0.0:26659", ThrowAwayKeys.publicKey(namespace)))
        .build();
  }

  private void createAttacker(Validator validator) {
    client.resource(Samples.node(elsewhere, ATTACKER, spec(validator))).create();
  }

  private void createDecoy() {
    client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName("decoy")
                .withLabels(Map.of(Labels.ROLE, NodeMode.VALIDATOR.role()))
                .endMetadata()
                .withNewSpec()
                .withNodeName("no-such-machine")
                .addNewContainer()
                .withName(Names.SEID)
                .withImage("any")
                .addNewEnv()
                .withName("SEI_SIGNING_PUBLIC_KEY")
                .withValue(ThrowAwayKeys.publicKey(namespace))
                .endEnv()
                .endContainer()
                .endSpec()
                .build())
        .inNamespace(elsewhere)
        .create();
  }

  private SeiSigningKey record() {
    return client.resources(SeiSigningKey.class).list().getItems().stream()
        .filter(key -> key.getSpec().publicKey().equals(ThrowAwayKeys.publicKey(namespace)))
        .findFirst()
        .orElseThrow();
  }

  private SeiNode nodeElsewhere() {
    return readIn(elsewhere, SeiNode.class, ATTACKER);
  }

  private Condition keyConditionElsewhere() {
    return Conditions.find(
            nodeElsewhere().getStatus().conditions(), NodeConditionType.SIGNING_KEY_READY)
        .orElseThrow();
  }

  private Pod podElsewhere() {
    return readIn(elsewhere, Pod.class, ATTACKER + "-0");
  }
}
