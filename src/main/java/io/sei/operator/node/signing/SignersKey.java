package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.Validator.RemoteSigner;
import io.sei.operator.base.Answer;
import io.sei.operator.base.Poller;
import io.sei.operator.base.Polling;
import io.sei.operator.base.Sha256;
import io.sei.operator.chain.NodeRpc;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.model.NodePass;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.Names;
import io.sei.operator.render.SigningKeyCheck;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;

/**
 * Whether the signer that has dialled in has the key that its node declares. Seid knows, and says
 * so at its RPC; it is asked once in each of its runs, as it asks the signer once.
 */
public final class SignersKey {

  /** Asks a validator for the key that it signs with. */
  @FunctionalInterface
  public interface Rpc {

    /**
     * Returns the key in base64; empty if the node says none.
     *
     * @throws RuntimeException if it cannot be asked
     */
    Optional<String> signingKey(NodeRpc node, String chainId);
  }

  private static final Duration AGAIN = Duration.ofMinutes(1);

  /** As many bytes as the address of a validator in its chain has. */
  private static final int ADDRESS_BYTES = 20;

  private record Question(NodeRpc node, String chainId, String run) {}

  private final Poller<ResourceID, Question, Optional<String>> keys;

  public SignersKey(Rpc rpc, Polling<ResourceID> polling) {
    this.keys =
        Poller.waiting(polling, question -> rpc.signingKey(question.node(), question.chainId()));
  }

  /** What is to be said of the signer; empty as long as seid has not said which key it has. */
  Optional<ConditionProposal> verdict(NodePass pass) {
    Optional<RemoteSigner> signer = pass.node().getSpec().remoteSigner();
    return signer.flatMap(
        declared ->
            pass.view()
                .livePod()
                .filter(PodFacts::isReady)
                .filter(pod -> isFor(pod, declared))
                .flatMap(pod -> question(pass, pod))
                .map(it -> ask(pass, it))
                .flatMap(answer -> verdict(declared.publicKey(), answer)));
  }

  private static boolean isFor(Pod pod, RemoteSigner declared) {
    return SigningKeyCheck.isRemote(pod.getSpec())
        && SigningKeyCheck.publicKeyOf(pod).filter(declared.publicKey()::equals).isPresent();
  }

  private static Optional<Question> question(NodePass pass, Pod pod) {
    var node = pass.node();
    var rpc = new NodeRpc(pass.namespace(), node.getMetadata().getName(), PodFacts.address(pod));
    return PodFacts.containerId(pod, Names.SEID)
        .map(run -> new Question(rpc, node.getSpec().chainId(), run));
  }

  private Answer<Optional<String>> ask(NodePass pass, Question question) {
    return keys.ask(ResourceID.fromResource(pass.node()), question, Poller.Demand.once(AGAIN));
  }

  /** What the answer of a seid comes to, whose node declares a key. */
  static Optional<ConditionProposal> verdict(String declared, Answer<Optional<String>> answer) {
    return answer
        .value()
        .flatMap(key -> key)
        .map(key -> key.equals(declared) ? same() : another(declared, key));
  }

  private static ConditionProposal same() {
    return ConditionProposal.yes(
        NodeReason.SIGNING_KEY_VALIDATED,
        "the remote signer has the key that spec.validator.remoteSigner declares");
  }

  private static ConditionProposal another(String declared, String key) {
    return ConditionProposal.no(
        NodeReason.SIGNER_HAS_ANOTHER_KEY,
        ("the remote signer signs as validator %s, but spec.validator.remoteSigner.publicKey is the"
             + " key of %s: let the signer of that key dial in, or create the node again with the"
             + " key in use; until then another node may sign with it")
            .formatted(address(key), address(declared)));
  }

  private static String address(String key) {
    return Sha256.of(Base64.getDecoder().decode(key), ADDRESS_BYTES).toUpperCase(Locale.ROOT);
  }
}
