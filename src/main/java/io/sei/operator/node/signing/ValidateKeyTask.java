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
import java.util.Objects;
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
    Function<NodePass, KeyVerdict> check,
    BiFunction<NodePass, Optional<String>, Veto> permission) {

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
        pass -> {
          Optional<RemoteSigner> signer = pass.node().getSpec().remoteSigner();
          if (signer.isPresent()) {
            return RemoteClaim.declared(signer.get());
          }
          String name = pass.node().getSpec().signingKeySecret().orElseThrow();
          return said(guard.scope(), KeySecrets.signingKey(name, read(api, pass, name)));
        },
        guard::reserve);
  }

  private static KeyVerdict said(SigningScope scope, KeyVerdict proposal) {
    return switch (proposal) {
      case KeyVerdict.Valid valid ->
          new KeyVerdict.Valid(scope.words(valid.message()), valid.publicKey());
      default -> proposal;
    };
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
          return KeySecrets.nodeKey(name, read(api, pass, name));
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
          return KeySecrets.operatorKeyring(
              keyring,
              read(api, pass, keyring.secretName()),
              read(api, pass, keyring.passphraseSecretRef().secretName()));
        },
        (pass, key) -> Veto.none());
  }

  /**
   * Runs the task once. A Secret that is missing or of no use is waited for: somebody puts it
   * right, and nothing of the node's spec has to change for that.
   */
  public TaskOutcome run(NodePass pass) {
    KeyVerdict proposal = verdict(pass);
    return switch (proposal) {
      case KeyVerdict.NotReady missing -> awaited(pass, notReady, missing);
      case KeyVerdict.Invalid broken -> awaited(pass, invalid, broken);
      case KeyVerdict.Valid usable -> {
        boolean recorded = isRecorded(pass, usable);
        TaskOutcome outcome = permitted(pass, usable, usable.publicKey());
        yield outcome.isDone() && !recorded ? TaskOutcome.recording() : outcome;
      }
      case KeyVerdict.Identity identity -> {
        pass.update(status -> status.withNodeId(identity.nodeId()));
        yield permitted(pass, identity, Optional.empty());
      }
    };
  }

  private TaskOutcome awaited(NodePass pass, NodeReason reason, KeyVerdict proposal) {
    offer(pass, ConditionProposal.no(reason, proposal.message()));
    return TaskOutcome.waitFor(reason, proposal.message(), recheck(pass));
  }

  private TaskOutcome permitted(NodePass pass, KeyVerdict proposal, Optional<String> key) {
    return permission
        .apply(pass, key)
        .then(
            () -> {
              offer(pass, ConditionProposal.yes(validated, proposal.message()));
              return TaskOutcome.done();
            });
  }

  private void offer(NodePass pass, ConditionProposal proposal) {
    if (condition == NodeConditionType.SIGNING_KEY_READY) {
      KeyClaim.offer(pass, proposal);
    } else {
      pass.offer(condition, proposal);
    }
  }

  /**
   * Records the public key of a signing key, which is rendered into the pod.
   *
   * @return whether it was recorded before
   */
  private boolean isRecorded(NodePass pass, KeyVerdict.Valid proposal) {
    String publicKey = proposal.publicKey().orElse(null);
    if (condition != NodeConditionType.SIGNING_KEY_READY
        || Objects.equals(publicKey, pass.stored().signingPublicKey())) {
      return true;
    }
    pass.update(status -> status.withSigningPublicKey(publicKey));
    return false;
  }

  /** As long as the task has waited, within the bounds. */
  private static Duration recheck(NodePass pass) {
    Duration waited =
        Optional.ofNullable(pass.stored().plan())
            .flatMap(TaskPlan::currentTask)
            .map(PlannedTask::startedAt)
            .map(since -> Duration.between(since, pass.view().now()))
            .filter(it -> it.compareTo(FIRST_RECHECK) > 0)
            .orElse(FIRST_RECHECK);
    return waited.compareTo(LAST_RECHECK) < 0 ? waited : LAST_RECHECK;
  }

  private KeyVerdict verdict(NodePass pass) {
    try {
      return check.apply(pass);
    } catch (KubernetesClientException e) {
      if (isForbidden(e)) {
        return new KeyVerdict.NotReady(
            "the operator has no right to get Secrets in this namespace");
      }
      throw e;
    }
  }

  private static Optional<Secret> read(KubeApi api, NodePass pass, String name) {
    return api.get(Secret.class, pass.namespace(), name);
  }
}
