package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Claim;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Possession;
import io.sei.operator.api.v1alpha1.SigningRecord;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.base.Memory;
import io.sei.operator.kube.KubeApi;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.signing.KeyRegister.RunningPod;
import io.sei.operator.render.SigningKeyCheck;
import java.util.Optional;
import java.util.Set;

/**
 * How far the operator looks for others that sign with a node's key.
 *
 * @param register the records of the cluster's keys; empty if nodes of a namespace alone count
 */
public record SigningScope(Optional<KeyRegister> register) {

  private static final String NAMESPACE =
      "; who signs with it in other namespaces is not seen (SEI_SIGNING_SCOPE is Namespaces)";

  /**
   * The scope that the settings ask for.
   *
   * @param namespaces where the operator may look; empty for the whole cluster
   * @param memory by which nodes are woken that share a key
   */
  public static SigningScope of(
      KubeApi api, boolean byNamespace, Set<String> namespaces, Memory<ResourceID> memory) {
    return new SigningScope(
        byNamespace
            ? Optional.empty()
            : Optional.of(new KeyRegister(api, new KeySightings(api, namespaces), memory)));
  }

  /** What is to be said of a key that a node may use, with what is not known of it. */
  String words(String message) {
    return register.isPresent() ? message : message + NAMESPACE;
  }

  /**
   * Has the record say of the node's pod what it is: a change of how the node signs, taken back
   * before the pod was replaced, may have recorded otherwise.
   */
  void noteAgain(NodeReconcile reconcile, Signer self) {
    boolean remote = reconcile.node().getSpec().remoteSigner().isPresent();
    reconcile
        .snapshot()
        .livePod()
        .filter(it -> it.getSpec().getNodeName() != null)
        .filter(it -> SigningKeyCheck.isRemote(it.getSpec()) == remote)
        .map(it -> running(reconcile, it))
        .ifPresent(pod -> register.ifPresent(it -> it.note(self, pod)));
  }

  static RunningPod running(NodeReconcile reconcile, Pod pod) {
    SigningRecord record = reconcile.status().signingRecord();
    boolean shared = record != null && record.sharedWith() != null;
    return new RunningPod(pod.getMetadata().getUid(), pod.getSpec().getNodeName(), shared);
  }

  /** A node as the signer with a key that its spec or its pod names. */
  static Signer declaring(NodeReconcile reconcile, String key) {
    var node = reconcile.node();
    return SignerBuilder.builder()
        .key(key)
        .possession(Possession.DECLARED)
        .chainId(node.getSpec().chainId())
        .namespace(reconcile.namespace())
        .node(reconcile.name())
        .uid(node.getMetadata().getUid())
        .volume(claim(reconcile))
        .remote(node.getSpec().remoteSigner().isPresent())
        .accepted(
            Optional.ofNullable(node.getSpec().validator()).map(Validator::acceptSigningStateLoss))
        .now(reconcile.now())
        .build();
  }

  /**
   * The same for a node with a Secret, which proves possession if it has the private key.
   *
   * @param secret the public key of the private one in the node's Secret, as it was just read
   */
  static Signer proving(NodeReconcile reconcile, String key, Optional<String> secret) {
    boolean proved = secret.filter(key::equals).isPresent();
    return declaring(reconcile, key)
        .withPossession(proved ? Possession.PROVED : Possession.DECLARED);
  }

  private static Optional<Claim> claim(NodeReconcile reconcile) {
    return reconcile
        .snapshot()
        .claim()
        .map(
            it ->
                new Claim(
                    it.getMetadata().getName(),
                    it.getMetadata().getUid(),
                    handle(reconcile.status(), it.getMetadata().getUid()),
                    null));
  }

  private static String handle(SeiNodeStatus status, String claimUid) {
    return Optional.ofNullable(status.dataVolume())
        .filter(it -> claimUid.equals(it.claimUid()))
        .map(it -> it.handle())
        .orElse(null);
  }
}
