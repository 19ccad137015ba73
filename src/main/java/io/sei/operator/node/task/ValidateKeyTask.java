package io.sei.operator.node.task;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.signing.KeySecrets;
import io.sei.operator.node.signing.KeyVerdict;
import io.sei.operator.node.signing.SigningKeyGuard;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.render.KeyMaterial;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Checks the Secrets a validator's pod is about to mount, so that a missing or broken one is
 * reported before a pod is started or replaced. They are read by name, live, and never kept.
 */
public record ValidateKeyTask(
    NodeConditionType condition,
    NodeReason validated,
    NodeReason notReady,
    NodeReason invalid,
    Function<NodeReconcile, KeyVerdict> check,
    Function<NodeReconcile, TaskOutcome> permission) {

  /** Secrets are not watched. */
  private static final Duration RECHECK = Duration.ofSeconds(5);

  /** The consensus key, which besides nobody else may be using. */
  public static ValidateKeyTask ofSigningKey(KubeApi api, SigningKeyGuard guard) {
    return new ValidateKeyTask(
        NodeConditionType.SIGNING_KEY_READY,
        NodeReason.SIGNING_KEY_VALIDATED,
        NodeReason.SIGNING_KEY_NOT_READY,
        NodeReason.SIGNING_KEY_INVALID,
        reconcile -> {
          String name = keys(reconcile).signingKey().orElseThrow();
          return KeySecrets.signingKey(name, read(api, reconcile, name));
        },
        guard::check);
  }

  /** The P2P identity. */
  public static ValidateKeyTask ofNodeKey(KubeApi api) {
    return new ValidateKeyTask(
        NodeConditionType.NODE_KEY_READY,
        NodeReason.NODE_KEY_VALIDATED,
        NodeReason.NODE_KEY_NOT_READY,
        NodeReason.NODE_KEY_INVALID,
        reconcile -> {
          String name = keys(reconcile).nodeKey().orElseThrow();
          return KeySecrets.nodeKey(name, read(api, reconcile, name));
        },
        reconcile -> TaskOutcome.done());
  }

  /** The operator account's keyring and its passphrase. */
  public static ValidateKeyTask ofOperatorKeyring(KubeApi api) {
    return new ValidateKeyTask(
        NodeConditionType.OPERATOR_KEYRING_READY,
        NodeReason.OPERATOR_KEYRING_VALIDATED,
        NodeReason.OPERATOR_KEYRING_NOT_READY,
        NodeReason.OPERATOR_KEYRING_INVALID,
        reconcile -> {
          var keyring = keys(reconcile).operatorKeyring().orElseThrow();
          return KeySecrets.operatorKeyring(
              keyring,
              read(api, reconcile, keyring.secretName()),
              read(api, reconcile, keyring.passphraseSecretRef().secretName()));
        },
        reconcile -> TaskOutcome.done());
  }

  /** Runs the task once. */
  public TaskOutcome run(NodeReconcile reconcile) {
    KeyVerdict verdict = verdict(reconcile);
    return switch (verdict) {
      case KeyVerdict.NotReady _ -> {
        say(reconcile, ConditionStatus.FALSE, notReady, verdict);
        yield TaskOutcome.waitFor(notReady, verdict.message(), RECHECK);
      }
      case KeyVerdict.Invalid _ -> {
        say(reconcile, ConditionStatus.FALSE, invalid, verdict);
        yield new TaskOutcome.Fail(verdict.message());
      }
      case KeyVerdict.Valid valid -> permitted(reconcile, valid);
    };
  }

  private TaskOutcome permitted(NodeReconcile reconcile, KeyVerdict.Valid verdict) {
    boolean recorded = isRecorded(reconcile, verdict);
    TaskOutcome outcome = permission.apply(reconcile);
    if (!outcome.isDone()) {
      return outcome;
    }
    say(reconcile, ConditionStatus.TRUE, validated, verdict);
    return recorded ? outcome : TaskOutcome.recording();
  }

  /**
   * Records the public key of a signing key, which is rendered into the pod.
   *
   * @return whether it was recorded before
   */
  private boolean isRecorded(NodeReconcile reconcile, KeyVerdict.Valid verdict) {
    String publicKey = verdict.publicKey().orElse(null);
    if (condition != NodeConditionType.SIGNING_KEY_READY
        || Objects.equals(publicKey, reconcile.status().signingPublicKey())) {
      return true;
    }
    reconcile.update(status -> status.withSigningPublicKey(publicKey));
    return false;
  }

  private KeyVerdict verdict(NodeReconcile reconcile) {
    try {
      return check.apply(reconcile);
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        return new KeyVerdict.NotReady(
            "the operator has no right to get Secrets in this namespace");
      }
      throw e;
    }
  }

  private void say(
      NodeReconcile reconcile, ConditionStatus status, NodeReason reason, KeyVerdict verdict) {
    reconcile.report(condition, status, reason, verdict.message());
  }

  private static KeyMaterial keys(NodeReconcile reconcile) {
    return KeyMaterial.of(reconcile.node().getSpec());
  }

  private static Optional<Secret> read(KubeApi api, NodeReconcile reconcile, String name) {
    return api.get(Secret.class, reconcile.namespace(), name);
  }
}
