package io.sei.operator.node.signing;

import static java.util.Map.entry;

import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.node.feature.FindingRank;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.reconcile.ConditionProposal;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * PURE: keys that a node waits for and that none of its own objects shows: Secrets that hold them,
 * and a signing key that no other node uses. They are read again every few seconds, so that no
 * retry has to be requested.
 */
final class AwaitedKeys {

  private static final String CREATE =
      "create the Secret, or give the operator the right to get it; the node goes on by itself"
          + " within seconds";

  private static final String CREATE_OR_PUT_BACK =
      "create the Secret or, if it holds another key, put the right one back; or give the operator"
          + " the right to get it; the node goes on by itself within seconds";

  private static final String CORRECT =
      "correct the Secret; the node goes on by itself within seconds";

  /** Findings by the reason of the condition, or of the task that waits. */
  private static final Map<NodeReason, Function<String, Finding>> FINDINGS =
      Map.ofEntries(
          entry(
              NodeReason.SIGNING_KEY_NOT_READY,
              seen ->
                  new Finding(StallReason.SIGNING_KEY_MISSING, seen, CREATE_OR_PUT_BACK, false)),
          entry(
              NodeReason.SIGNING_KEY_INVALID,
              seen -> new Finding(StallReason.SIGNING_KEY_INVALID, seen, CORRECT, true)),
          entry(
              NodeReason.IN_USE,
              seen ->
                  new Finding(
                      StallReason.SIGNING_KEY_IN_USE,
                      seen,
                      "delete or pause that one, or give this node a key of its own; the chain"
                          + " tombstones a validator whose key signs twice",
                      false)),
          entry(
              NodeReason.SIGNING_STATE_MISSING,
              seen ->
                  new Finding(
                      StallReason.SIGNING_STATE_UNKNOWN,
                      seen,
                      "give this node that claim (spec.dataVolume.import), or one bound to the same"
                          + " volume; or, only once nothing can be signed twice, set"
                          + " spec.validator.acceptSigningStateLoss to the value that is named, and"
                          + " spec.dataVolume.acceptDataLoss too if that is the uid of a claim",
                      true)),
          entry(
              NodeReason.SIGNING_UNCERTAIN,
              seen ->
                  new Finding(
                      StallReason.NODE_LOST,
                      seen,
                      "bring the machine back, delete its Node, or taint it"
                          + " node.kubernetes.io/out-of-service; or, once you know that the"
                          + " container has ended, set spec.endedPodUid of the SeiSigningKey",
                      true)),
          entry(
              NodeReason.SIGNING_KEY_UNGUARDED,
              seen ->
                  new Finding(
                      StallReason.APPLY_REFUSED,
                      seen,
                      "grant it (files/rbac/signing-keys.yaml of the chart); or, unless the node"
                          + " has a remoteSigner, set signing.scope of the chart to Namespaces, by"
                          + " which other namespaces are not looked at",
                      true)),
          entry(
              NodeReason.NODE_KEY_NOT_READY,
              seen -> new Finding(StallReason.KEY_SECRET_MISSING, seen, CREATE, false)),
          entry(
              NodeReason.OPERATOR_KEYRING_NOT_READY,
              seen -> new Finding(StallReason.KEY_SECRET_MISSING, seen, CREATE, false)),
          entry(
              NodeReason.NODE_KEY_INVALID,
              seen -> new Finding(StallReason.KEY_SECRET_INVALID, seen, CORRECT, true)),
          entry(
              NodeReason.OPERATOR_KEYRING_INVALID,
              seen -> new Finding(StallReason.KEY_SECRET_INVALID, seen, CORRECT, true)));

  private AwaitedKeys() {}

  /** Offers the finding, unless the node does not run anyway. */
  static void record(NodePass pass) {
    if (!pass.view().isPaused()) {
      proposed(pass)
          .or(() -> awaited(pass))
          .ifPresent(finding -> pass.offer(FindingRank.AWAITED_INPUT, finding));
    }
  }

  /** The finding of this pass, of a plan or of what leads to a pod without one. */
  private static Optional<Finding> proposed(NodePass pass) {
    for (NodeConditionType type : NodeConditionType.OF_KEYS) {
      ConditionProposal proposal = pass.offers().get(type);
      if (proposal != null && proposal.status() == ConditionStatus.FALSE) {
        Optional<Finding> finding =
            find(reason -> reason.is(proposal.reason()), proposal.message());
        if (finding.isPresent()) {
          return finding;
        }
      }
    }
    return Optional.empty();
  }

  /** The finding that the plan waits for. */
  private static Optional<Finding> awaited(NodePass pass) {
    return pass.waitingTask().flatMap(task -> find(task::waitsFor, task.message()));
  }

  private static Optional<Finding> find(Predicate<NodeReason> isGiven, String seen) {
    return FINDINGS.keySet().stream()
        .filter(isGiven)
        .findFirst()
        .map(reason -> FINDINGS.get(reason).apply(seen));
  }
}
