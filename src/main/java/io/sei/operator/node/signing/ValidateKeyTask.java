package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.Validator.RemoteSigner;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.reconcile.Permit;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.KeyMaterial;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * Checks the Secrets a validator's pod is about to mount, so that a missing or broken one is
 * reported before a pod is started or replaced. They are read by name, live, and never kept; of a
 * node key the identity is recorded, by which peers know the node.
 */
record ValidateKeyTask(
    NodeConditionType condition,
    NodeReason validated,
    NodeReason notReady,
    NodeReason invalid,
    Function<NodeReconcile, KeyVerdict> check,
    Function<NodeReconcile, Permit> permission) {

  /** Secrets are not watched: whoever puts one right does not want to wait, or to ask for it. */
  private static final Duration FIRST_RECHECK = Duration.ofSeconds(1);

  private static final Duration LAST_RECHECK = Duration.ofSeconds(5);

  /** The consensus key, which besides nobody else may be using. */
  static ValidateKeyTask ofSigningKey(KubeApi api, SigningKeyGuard guard) {
    return new ValidateKeyTask(
        NodeConditionType.SIGNING_KEY_READY,
        NodeReason.SIGNING_KEY_VALIDATED,
        NodeReason.SIGNING_KEY_NOT_READY,
        NodeReason.SIGNING_KEY_INVALID,
        reconcile -> {
          Optional<RemoteSigner> signer = reconcile.node().getSpec().remoteSigner();
          if (signer.isPresent()) {
            return RemoteClaim.declared(signer.get());
          }
          String name = keys(reconcile).signingKey().orElseThrow();
          return said(guard.scope(), KeySecrets.signingKey(name, read(api, reconcile, name)));
        },
        guard::reserve);
  }

  private static KeyVerdict said(SigningScope scope, KeyVerdict verdict) {
    return switch (verdict) {
      case KeyVerdict.Valid valid ->
          new KeyVerdict.Valid(scope.words(valid.message()), valid.publicKey());
      default -> verdict;
    };
  }

  /** The P2P identity. */
  static ValidateKeyTask ofNodeKey(KubeApi api) {
    return new ValidateKeyTask(
        NodeConditionType.NODE_KEY_READY,
        NodeReason.NODE_KEY_VALIDATED,
        NodeReason.NODE_KEY_NOT_READY,
        NodeReason.NODE_KEY_INVALID,
        reconcile -> {
          String name = keys(reconcile).nodeKey().orElseThrow();
          return KeySecrets.nodeKey(name, read(api, reconcile, name));
        },
        reconcile -> Permit.yes());
  }

  /** The operator account's keyring and its passphrase. */
  static ValidateKeyTask ofOperatorKeyring(KubeApi api) {
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
        reconcile -> Permit.yes());
  }

  /**
   * Runs the task once. A Secret that is missing or of no use is waited for: somebody puts it
   * right, and nothing of the node's spec has to change for that.
   */
  public TaskOutcome run(NodeReconcile reconcile) {
    KeyVerdict verdict = verdict(reconcile);
    return switch (verdict) {
      case KeyVerdict.NotReady missing -> awaited(reconcile, notReady, missing);
      case KeyVerdict.Invalid broken -> awaited(reconcile, invalid, broken);
      case KeyVerdict.Valid usable -> {
        boolean recorded = isRecorded(reconcile, usable);
        TaskOutcome outcome = permitted(reconcile, usable);
        yield outcome.isDone() && !recorded ? TaskOutcome.recording() : outcome;
      }
      case KeyVerdict.Identity identity -> {
        reconcile.update(status -> status.withNodeId(identity.nodeId()));
        yield permitted(reconcile, identity);
      }
    };
  }

  private TaskOutcome awaited(NodeReconcile reconcile, NodeReason reason, KeyVerdict verdict) {
    offer(reconcile, Verdict.no(reason, verdict.message()));
    return TaskOutcome.waitFor(reason, verdict.message(), recheck(reconcile));
  }

  private TaskOutcome permitted(NodeReconcile reconcile, KeyVerdict verdict) {
    return permission
        .apply(reconcile)
        .then(
            () -> {
              offer(reconcile, Verdict.yes(validated, verdict.message()));
              return TaskOutcome.done();
            });
  }

  private void offer(NodeReconcile reconcile, Verdict verdict) {
    if (condition == NodeConditionType.SIGNING_KEY_READY) {
      KeyClaim.offer(reconcile, verdict);
    } else {
      reconcile.offer(condition, verdict);
    }
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

  /** As long as the task has waited, within the bounds. */
  private static Duration recheck(NodeReconcile reconcile) {
    Duration waited =
        Optional.ofNullable(reconcile.status().plan())
            .flatMap(TaskPlan::currentTask)
            .map(PlannedTask::startedAt)
            .map(since -> Duration.between(since, reconcile.snapshot().now()))
            .filter(it -> it.compareTo(FIRST_RECHECK) > 0)
            .orElse(FIRST_RECHECK);
    return waited.compareTo(LAST_RECHECK) < 0 ? waited : LAST_RECHECK;
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

  private static KeyMaterial keys(NodeReconcile reconcile) {
    return KeyMaterial.of(reconcile.node().getSpec());
  }

  private static Optional<Secret> read(KubeApi api, NodeReconcile reconcile, String name) {
    return api.get(Secret.class, reconcile.namespace(), name);
  }
}
