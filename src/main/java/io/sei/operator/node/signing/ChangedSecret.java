package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.base.Poller;
import io.sei.operator.base.Polling;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PodSigningKey;
import io.sei.operator.reconcile.ConditionProposal;
import java.time.Duration;
import java.util.Optional;

/**
 * Finds a Secret that holds the signing key of another validator since a pod started. The pod keeps
 * its key: the kubelet mounts the old content of an immutable Secret, and seid reads the file once.
 * A new key that no other node has is no fault. Secrets are not watched, so each is read by name
 * twice a minute.
 */
final class ChangedSecret {

  private static final Duration AGAIN = Duration.ofSeconds(30);

  private static final ListOptions ALL = new ListOptionsBuilder().build();

  private record Question(ResourceID node, String secret, String startedFor) {}

  /**
   * The key of another node in place of the one that the pod was started for.
   *
   * @param holder description of the other node
   * @param digest of the public key
   */
  record Change(String holder, String digest) {}

  private final KubeApi api;
  private final SigningScope scope;
  private final Poller<ResourceID, Question, Optional<Change>> changes;

  /**
   * @param scope how far holders of a key are looked for
   */
  ChangedSecret(KubeApi api, SigningScope scope, Polling<ResourceID> polling) {
    this.api = api;
    this.scope = scope;
    this.changes = Poller.waiting(polling, this::read);
  }

  private Optional<Change> read(Question question) {
    String namespace = question.node().getNamespace().orElseThrow();
    Optional<String> key =
        KeySecretChecks.publicKey(
            question.secret(), api.get(Secret.class, namespace, question.secret()));
    if (key.isEmpty() || key.get().equals(question.startedFor())) {
      return Optional.empty();
    }
    return holder(question.node(), key.get())
        .map(holder -> new Change(holder, Signer.recordOf(key.get())));
  }

  /** Describes another node that signs with a key, without foreign objects; empty for none. */
  Optional<String> holder(ResourceID node, String publicKey) {
    return api.list(SeiNode.class, node.getNamespace().orElseThrow(), ALL).stream()
        .filter(other -> !node.getName().equals(other.getMetadata().getName()))
        .filter(other -> other.getStatus() != null)
        .filter(other -> publicKey.equals(other.getStatus().signingPublicKey()))
        .map(other -> "SeiNode " + other.getMetadata().getName())
        .findFirst()
        .or(() -> scope.lock().flatMap(lock -> lock.holder(node, publicKey)));
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
