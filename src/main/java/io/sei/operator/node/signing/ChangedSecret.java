package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.base.Poller;
import io.sei.operator.base.Polling;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PodSigningKey;
import io.sei.operator.reconcile.ConditionProposal;
import java.time.Duration;
import java.util.Optional;

/**
 * Finds a Secret that has come to hold the signing key of another validator under a running pod.
 * The pod keeps its key: the kubelet goes on mounting the old content of an immutable Secret, and
 * seid reads the file once. A new key that no other node has is no fault. Secrets are not watched,
 * so each is read by name twice a minute.
 */
public final class ChangedSecret {

  static final Duration AGAIN = Duration.ofSeconds(30);

  private record Question(ResourceID node, String secret, String startedFor) {}

  /**
   * The key of another node in place of the one that the pod was started for.
   *
   * @param holder description of the other node
   * @param digest of the public key
   */
  record Change(String holder, String digest) {}

  private final Poller<ResourceID, Question, Optional<Change>> changes;

  /**
   * @param scope how far holders of a key are looked for
   */
  public ChangedSecret(KubeApi api, SigningScope scope, Polling<ResourceID> polling) {
    var reader = new SecretReader(api, scope);
    this.changes = Poller.waiting(polling, question -> change(reader, question));
  }

  private static Optional<Change> change(SecretReader reader, Question question) {
    return reader
        .publicKey(question.node().getNamespace().orElseThrow(), question.secret())
        .filter(key -> !key.equals(question.startedFor()))
        .flatMap(
            key ->
                reader
                    .holder(question.node(), key)
                    .map(holder -> new Change(holder, Signer.recordOf(key))));
  }

  /**
   * The finding about the Secret; empty where nothing has changed, or is known.
   *
   * @param present the condition as it is
   */
  Optional<ConditionProposal> verdict(NodePass pass, Condition present) {
    Optional<String> secret = pass.node().getSpec().signingKeySecret();
    Optional<Pod> pod = pass.view().livePod();
    if (secret.isEmpty() || pod.isEmpty()) {
      return Optional.empty();
    }
    Optional<String> startedFor = PodSigningKey.of(pod.get());
    if (startedFor.isEmpty()) {
      return Optional.empty();
    }
    boolean isSettled =
        startedFor.equals(Optional.ofNullable(pass.draft().signingPublicKey()))
            && pass.view()
                .statefulSet()
                .filter(statefulSet -> KeyHolders.holds(statefulSet, secret.get()))
                .isPresent();
    if (!isSettled) {
      // A plan has checked another key or Secret, and replaces the pod.
      return Optional.empty();
    }
    ResourceID node = ResourceID.fromResource(pass.node());
    var question = new Question(node, secret.get(), startedFor.get());
    boolean isReported = present.isFor(NodeReason.SIGNING_KEY_CHANGED);
    return changes
        .read(
            node,
            question,
            Poller.Demand.every(AGAIN),
            answer -> answer.value().filter(change -> change.isPresent() || isReported))
        .map(
            change ->
                change.isPresent()
                    ? changed(node.getName(), secret.get(), change.get())
                    : ConditionProposal.yes(
                        NodeReason.SIGNING_KEY_VALIDATED,
                        "Secret %s holds the key of no other node".formatted(secret.get())));
  }

  static ConditionProposal changed(String node, String secret, Change change) {
    String message =
        "Secret %s of SeiNode %s now holds the signing key of %s; the running pod signs with its own key, and the next one does not start; put the key back that the Secret held before"
            .formatted(secret, node, change.holder());
    return ConditionProposal.no(
        NodeReason.SIGNING_KEY_CHANGED,
        change.holder().equals(SigningKeyLockPolicy.SOMEWHERE)
            ? message + "; to see which, " + SigningKeyLockPolicy.administrator(change.digest())
            : message);
  }
}
