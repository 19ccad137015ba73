package io.sei.operator.node.signing;

import static io.sei.operator.kube.ObjectEvent.warning;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.Rank;
import io.sei.operator.observability.GaugeRow;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.EventRule;
import java.util.Optional;

/** Keeps what tasks said of keys true while no task looks at them. */
record KeyConditions(SignersKey signers, ChangedSecret secrets) {

  void conditions(ConditionParts conditions) {
    conditions
        .report(this::report)
        .event(
            (before, after) ->
                NodeConditionType.OF_KEYS.stream()
                    .flatMap(type -> key(type, before, after).stream()))
        .event(EventRule.warning("SigningKeyChanged", KeyConditions::otherSigningKey))
        .gauge(
            GaugeRow.whileFor(
                "sei_node_signer_has_another_key",
                "1 while the validator's remote signer signs with another key than its spec"
                    + " declares",
                NodeConditionType.SIGNING_KEY_READY,
                NodeReason.SIGNER_HAS_ANOTHER_KEY))
        .gauge(
            GaugeRow.whileFor(
                "sei_node_signing_key_changed",
                "1 while the Secret of a running validator's signing key holds the key of another"
                    + " node",
                NodeConditionType.SIGNING_KEY_READY,
                NodeReason.SIGNING_KEY_CHANGED));
  }

  /**
   * Brings the conditions that are there up to the spec's generation; adds none. The first key that
   * is not ready says why the node has no pod.
   */
  void report(NodePass pass) {
    for (NodeConditionType type : NodeConditionType.OF_KEYS) {
      pass.draft().condition(type).ifPresent(present -> derive(pass, type, present));
      if (pass.view().ownedPod().isEmpty()) {
        pass.draftedCondition(type)
            .filter(proposal -> proposal.status() == ConditionStatus.FALSE)
            .ifPresent(proposal -> pass.offer(Rank.Ready.KEY, proposal));
      }
    }
  }

  private void derive(NodePass pass, NodeConditionType type, Condition present) {
    Optional<ConditionProposal> signer =
        Optional.of(type)
            .filter(NodeConditionType.SIGNING_KEY_READY::equals)
            .flatMap(any -> signers.verdict(pass).or(() -> secrets.verdict(pass, present)));
    if (!isReferenced(pass, type)) {
      put(
          pass,
          type,
          ConditionProposal.unknown(NodeReason.NOT_REFERENCED, "the spec refers to no such Secret"),
          present);
    } else if (type == NodeConditionType.SIGNING_KEY_READY && isShared(pass.draft())) {
      put(pass, type, SigningKeyReady.shared(pass.draft().signingRecord()), present);
    } else if (signer.isPresent()) {
      put(pass, type, signer.get(), present);
    } else if (present.isFor(NodeReason.SIGNING_KEY_SHARED)) {
      put(
          pass,
          type,
          ConditionProposal.yes(
              NodeReason.SIGNING_KEY_VALIDATED, "no other node signs with the key now"),
          present);
    } else if (pass.view().specHash().equals(pass.draft().podSpecHash())) {
      // Which Secrets are meant is part of the hash, so what was said still holds.
      put(pass, type, ConditionProposal.kept(present), present);
    }
  }

  private static boolean isShared(SeiNodeStatus status) {
    return status.signingRecord() != null && status.signingRecord().sharedWith() != null;
  }

  /** The Go operator stores the condition alone; the claim that it stands for is recorded. */
  private static void put(
      NodePass pass, NodeConditionType type, ConditionProposal proposal, Condition present) {
    pass.put(type, proposal);
    if (type == NodeConditionType.SIGNING_KEY_READY) {
      SigningKeyReady.hold(pass, proposal, present.lastTransitionTime());
    }
  }

  private static boolean isReferenced(NodePass pass, NodeConditionType type) {
    SeiNodeSpec spec = pass.node().getSpec();
    return switch (type) {
      case SIGNING_KEY_READY ->
          spec.signingKeySecret().isPresent() || spec.remoteSigner().isPresent();
      case NODE_KEY_READY -> spec.nodeKeySecret().isPresent();
      default -> spec.operatorKeyring().isPresent();
    };
  }

  /** What keeps a key from being used, once for each cause. */
  private static Optional<ObjectEvent> key(
      NodeConditionType type, SeiNodeStatus before, SeiNodeStatus after) {
    Optional<String> was = before.condition(type).map(Condition::reason);
    return after
        .condition(type)
        .filter(now -> now.status() == ConditionStatus.FALSE)
        .filter(now -> !was.equals(Optional.of(now.reason())))
        .map(
            now ->
                now.isFor(NodeReason.IN_USE)
                    ? warning("SigningKeyInUse", now.message())
                    : warning(now.reason(), now.message()));
  }

  private static Optional<String> otherSigningKey(SeiNodeStatus before, SeiNodeStatus after) {
    return Optional.ofNullable(before.signingPublicKey())
        .filter(key -> after.signingPublicKey() != null && !key.equals(after.signingPublicKey()))
        .map(key -> "the signing key is another one than before; the next pod signs with it");
  }
}
