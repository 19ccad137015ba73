package io.sei.operator.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.Validator.SigningKey;
import io.sei.operator.testkit.ThrowAwayKeys;
import io.sei.operator.testkit.controlplane.ControlPlane;
import io.sei.operator.testkit.samples.Samples;
import java.util.Map;

/** Validators with keys in Secrets, several of them in a namespace. */
public abstract class ValidatorTestCase extends RolloutTestCase {

  public static final String KEY = "consensus-key";

  /** Creates or replaces a Secret. */
  public void put(Secret secret) {
    client.resource(secret).inNamespace(namespace).createOr(NonDeletingOperation::update);
  }

  /** Starts an operator that records in the cluster who signs. */
  protected void startWithRecords() throws Exception {
    operatorAs(controlPlane.config(ControlPlane.OPERATOR))
        .with("SEI_WATCH_NAMESPACES", namespace)
        .with("SEI_SIGNING_SCOPE", "Cluster")
        .start();
  }

  /** Puts a signing key that no other test of the cluster has into a Secret. */
  protected void putOwnKey(String where, String secret) {
    client
        .resource(
            ThrowAwayKeys.secret(
                secret, Map.of(SigningKey.FILE, ThrowAwayKeys.signingKeyFile(namespace))))
        .inNamespace(where)
        .createOr(NonDeletingOperation::update);
  }

  public void putKeys(Validator validator) {
    Samples.keysOf(validator).forEach(this::put);
  }

  /** Keys of a validator that signs with {@link #KEY}, apart from that named after the node. */
  public static Validator keysOf(String node) {
    return keys(KEY, "identity-" + node, null);
  }

  public static Validator keys(String signing, String identity, Validator.OperatorKeyring keyring) {
    return new Validator(
        null,
        null,
        new Validator.SigningKey(new Validator.KeySecret(signing)),
        new Validator.NodeKey(new Validator.KeySecret(identity)),
        keyring,
        null,
        null,
        null);
  }

  public static Validator.OperatorKeyring keyring(String secret, String passphrase) {
    return new Validator.OperatorKeyring(
        new Validator.KeyringSecret(
            secret, null, new Validator.PassphraseSecretRef(passphrase, "passphrase")));
  }

  public static SeiNodeSpec spec(Validator validator) {
    return spec(A).with(builder -> builder.fullNode(null).validator(validator));
  }

  public SeiNode create(String name, SeiNodeSpec spec) {
    return client.resource(Samples.node(namespace, name, spec)).create();
  }

  /** Creates a validator that signs with {@link #KEY}. */
  public SeiNode createValidator(String name) {
    put(ThrowAwayKeys.nodeKey("identity-" + name));
    return create(name, spec(keysOf(name)));
  }

  public SeiNode node(String name) {
    return read(SeiNode.class, name);
  }

  public Pod pod(String node) {
    return read(Pod.class, node + "-0");
  }

  public void pause(String node, boolean paused) {
    patch(node(node), "{'spec':{'paused':%s}}".formatted(paused));
  }

  public void awaitRunning(String node) {
    eventually(
        () -> {
          assertThat(node(node).getStatus().phase()).isEqualTo(NodePhase.RUNNING);
          assertThat(says(node, NodeConditionType.READY)).isEqualTo("True/PodReady");
          assertThat(says(node, NodeConditionType.UP_TO_DATE)).isEqualTo("True/UpToDate");
        });
  }

  public void awaitSays(String node, NodeConditionType type, String statusAndReason) {
    eventually(() -> assertThat(says(node, type)).isEqualTo(statusAndReason));
  }

  public String says(String node, NodeConditionType type) {
    Condition condition = condition(node, type);
    return condition == null ? null : condition.status() + "/" + condition.reason();
  }

  public Condition condition(String node, NodeConditionType type) {
    return Conditions.find(node(node).getStatus().conditions(), type).orElse(null);
  }
}
