package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiSigningKey;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Claim;
import io.sei.operator.api.v1alpha1.Validator.RemoteSigner;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.node.feature.PodSigningKey;
import io.sei.operator.testkit.ThrowAwayKeys;
import org.junit.jupiter.api.Test;

/** A key goes to a remote signer and comes back by a person's word, and has one signer. */
class RemoteSignerTest extends ValidatorTestCase {

  private static final String FIRST = "alice";
  private static final String SECOND = "bob";
  private static final String REMOTE =
      "{'spec':{'validator':{'signingKey':null,'remoteSigner':{'listen':'tcp://0.0.0.0:26659',"
          + "'publicKey':'%s'}}}}";
  private static final String LOCAL =
      "{'spec':{'validator':{'remoteSigner':null,'signingKey':{'secret':{'secretName':'%s'}}}}}";

  @Override
  protected void startOperator() throws Exception {
    startWithRecords();
  }

  @Test
  void keyGoesToASignerAndComesBackByAPersonsWord() {
    String key = ThrowAwayKeys.publicKey(namespace);
    putOwnKey(namespace, KEY);
    createValidator(FIRST);
    awaitRunning(FIRST);
    String claim = record().getSpec().claim().uid();

    patch(node(FIRST), REMOTE.formatted(key));
    awaitSays(FIRST, NodeConditionType.SIGNING_KEY_READY, "False/SigningStateMissing");
    stays(() -> assertThat(isRemote()).isFalse());
    chain.chain().signsWith(ThrowAwayKeys.publicKey("another"));
    accept(claim);
    eventually(() -> assertThat(isRemote()).isTrue());
    awaitRunning(FIRST);
    awaitSays(FIRST, NodeConditionType.SIGNING_KEY_READY, "False/SignerHasAnotherKey");
    assertThat(record().getSpec().claim()).isEqualTo(Claim.REMOTE_SIGNER);
    assertThat(node(FIRST).getStatus().config().keys())
        .contains("config.toml:priv-validator.laddr");
    assertThat(read(Service.class, FIRST + "-signer").getSpec().getPorts().getFirst().getPort())
        .isEqualTo(26659);

    create(
        SECOND,
        spec(
            ValidatorBuilder.builder()
                .remoteSigner(new RemoteSigner("tcp://0.0.0.0:26659", key))
                .build()));
    awaitSays(SECOND, NodeConditionType.SIGNING_KEY_READY, "False/InUse");

    String user = podWith(KEY);
    patch(node(FIRST), LOCAL.formatted(KEY));
    awaitSays(FIRST, NodeConditionType.SIGNING_KEY_READY, "False/InUse");
    assertThat(record().getSpec().holder().releasedAt()).as("while its pod signs").isNull();
    client.pods().inNamespace(namespace).withName(user).withGracePeriod(0).delete();
    awaitSays(FIRST, NodeConditionType.SIGNING_KEY_READY, "False/SigningStateMissing");
    stays(() -> assertThat(isRemote()).isTrue());
    accept("remote-signer");
    eventually(() -> assertThat(isRemote()).isFalse());
    awaitRunning(FIRST);
    assertThat(record().getSpec().claim().uid()).isEqualTo(claim);
    eventually(() -> assertThat(read(Service.class, FIRST + "-signer")).isNull());
    assertThat(pod(SECOND)).isNull();
  }

  /** Creates a pod that mounts a Secret, and has no owner. */
  private String podWith(String secret) {
    return client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName("user-of-" + secret)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("any")
                .withImage("any")
                .endContainer()
                .addNewVolume()
                .withName("key")
                .withNewSecret()
                .withSecretName(secret)
                .endSecret()
                .endVolume()
                .endSpec()
                .build())
        .inNamespace(namespace)
        .create()
        .getMetadata()
        .getName();
  }

  private boolean isRemote() {
    return pod(FIRST) != null && PodSigningKey.isRemote(pod(FIRST).getSpec());
  }

  private void accept(String uid) {
    patch(
        node(FIRST),
        "{'spec':{'validator':{'acceptSigningStateLoss':'%1$s'},'dataVolume':{'acceptDataLoss':'%1$s'}}}"
            .formatted(uid));
  }

  private SeiSigningKey record() {
    return client.resources(SeiSigningKey.class).list().getItems().stream()
        .filter(key -> key.getSpec().publicKey().equals(ThrowAwayKeys.publicKey(namespace)))
        .findFirst()
        .orElseThrow();
  }
}
