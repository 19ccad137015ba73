package io.sei.operator.node.signing;

import static io.sei.operator.kube.ApiErrors.isForbidden;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.api.v1alpha1.Validator.RemoteSigner;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.plan.TaskOutcome;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.Veto;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
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
    Function<NodePass, KeySecretCheck> check,
    BiFunction<NodePass, Optional<String>, Veto> permission) {

  /** Secrets are not watched, and a user who corrects one waits for the node. */
  private static final Duration FIRST_RECHECK = Duration.ofSeconds(1);

  private static final Duration LAST_RECHECK = Duration.ofSeconds(5);

  /** The consensus key, which no other node may use. */
  static ValidateKeyTask ofSigningKey(KubeApi api, SigningKeyGuard guard) {
    return new ValidateKeyTask(
        NodeConditionType.SIGNING_KEY_READY,
        NodeReason.SIGNING_KEY_VALIDATED,
        NodeReason.SIGNING_KEY_NOT_READY,
        NodeReason.SIGNING_KEY_INVALID,
        pass -> {
          Optional<RemoteSigner> signer = pass.node().getSpec().remoteSigner();
          if (signer.isPresent()) {
            // Only seid learns whether the signer has the key.
            return KeySecretCheck.ofSigningKey(SigningKeyGuard.DECLARED, signer.get().publicKey());
          }
          String name = pass.node().getSpec().signingKeySecret().orElseThrow();
          KeySecretCheck found = KeySecretChecks.signingKey(name, read(api, pass, name));
          return found
              .publicKey()
              .map(key -> KeySecretCheck.ofSigningKey(guard.scope().words(found.message()), key))
              .orElse(found);
        },
        guard::reserve);
  }

  /** The P2P identity. */
  static ValidateKeyTask ofNodeKey(KubeApi api) {
    return new ValidateKeyTask(
        NodeConditionType.NODE_KEY_READY,
        NodeReason.NODE_KEY_VALIDATED,
        NodeReason.NODE_KEY_NOT_READY,
        NodeReason.NODE_KEY_INVALID,
        pass -> {
          String name = pass.node().getSpec().nodeKeySecret().orElseThrow();
          return KeySecretChecks.nodeKey(name, read(api, pass, name));
        },
        (pass, key) -> Veto.none());
  }

  /** The operator account's keyring and its passphrase. */
  static ValidateKeyTask ofOperatorKeyring(KubeApi api) {
    return new ValidateKeyTask(
        NodeConditionType.OPERATOR_KEYRING_READY,
        NodeReason.OPERATOR_KEYRING_VALIDATED,
        NodeReason.OPERATOR_KEYRING_NOT_READY,
        NodeReason.OPERATOR_KEYRING_INVALID,
        pass -> {
          var keyring = pass.node().getSpec().operatorKeyring().orElseThrow();
          return KeySecretChecks.operatorKeyring(
              keyring,
              read(api, pass, keyring.secretName()),
              read(api, pass, keyring.passphraseSecretRef().secretName()));
        },
        (pass, key) -> Veto.none());
  }

  /**
   * Runs the task once. It waits for a Secret that is missing or of no use until a user corrects
   * it, for which nothing of the node's spec has to change.
   */
  TaskOutcome run(NodePass pass) {
    KeySecretCheck found = checked(pass);
    return switch (found.state()) {
      case ABSENT -> await(pass, notReady, found.message());
      case INVALID -> await(pass, invalid, found.message());
      case USABLE -> use(pass, found);
    };
  }

  private TaskOutcome await(NodePass pass, NodeReason reason, String message) {
    offer(pass, ConditionProposal.no(reason, message));
    return TaskOutcome.waitFor(reason, message, recheck(pass));
  }

  private TaskOutcome use(NodePass pass, KeySecretCheck found) {
    found.nodeId().ifPresent(id -> pass.update(status -> status.withNodeId(id)));
    boolean isRecorded =
        found.publicKey().isEmpty()
            || found.publicKey().get().equals(pass.stored().signingPublicKey());
    if (!isRecorded) {
      // It is rendered into the pod.
      pass.update(status -> status.withSigningPublicKey(found.publicKey().get()));
    }
    TaskOutcome outcome =
        permission
            .apply(pass, found.publicKey())
            .then(
                () -> {
                  offer(pass, ConditionProposal.yes(validated, found.message()));
                  return TaskOutcome.done();
                });
    return outcome.isDone() && !isRecorded ? TaskOutcome.recording() : outcome;
  }

  private void offer(NodePass pass, ConditionProposal proposal) {
    if (condition == NodeConditionType.SIGNING_KEY_READY) {
      SigningKeyReady.offer(pass, proposal);
    } else {
      pass.offer(condition, proposal);
    }
  }

  /** Returns the time for which the task has waited, within the bounds. */
  private static Duration recheck(NodePass pass) {
    Duration waited =
        Optional.ofNullable(pass.stored().plan())
            .flatMap(TaskPlan::currentTask)
            .map(PlannedTask::startedAt)
            .map(since -> Duration.between(since, pass.view().now()))
            .filter(duration -> duration.compareTo(FIRST_RECHECK) > 0)
            .orElse(FIRST_RECHECK);
    return waited.compareTo(LAST_RECHECK) < 0 ? waited : LAST_RECHECK;
  }

  private KeySecretCheck checked(NodePass pass) {
    try {
      return check.apply(pass);
    } catch (KubernetesClientException e) {
      if (isForbidden(e)) {
        return KeySecretCheck.absent("the operator has no right to get Secrets in this namespace");
      }
      throw e;
    }
  }

  private static Optional<Secret> read(KubeApi api, NodePass pass, String name) {
    return api.get(Secret.class, pass.namespace(), name);
  }
}
