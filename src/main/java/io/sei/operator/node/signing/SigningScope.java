package io.sei.operator.node.signing;

import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Claim;
import io.sei.operator.api.v1alpha1.Validator;
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
   */
  public static SigningScope of(KubeApi api, boolean byNamespace, Set<String> namespaces) {
    return new SigningScope(
        byNamespace
            ? Optional.empty()
            : Optional.of(new KeyRegister(api, new KeySightings(api, namespaces))));
  }

  /** What is to be said of a key that a node may use, with what is not known of it. */
  String words(String message) {
    return register.isPresent() ? message : message + NAMESPACE;
  }

  /**
   * Has the record say of the node's pod what it is: a change of how the node signs, taken back
   * before the pod was replaced, may have recorded otherwise.
   */
  void noteAgain(NodeReconcile reconcile, String key) {
    boolean remote = reconcile.node().getSpec().remoteSigner().isPresent();
    reconcile
        .snapshot()
        .livePod()
        .filter(it -> it.getSpec().getNodeName() != null)
        .filter(it -> SigningKeyCheck.isRemote(it.getSpec()) == remote)
        .map(it -> new RunningPod(it.getMetadata().getUid(), it.getSpec().getNodeName()))
        .ifPresent(pod -> register.ifPresent(it -> it.note(signer(reconcile, key), pod)));
  }

  /** A node as the signer with a key. */
  static Signer signer(NodeReconcile reconcile, String key) {
    var node = reconcile.node();
    return new Signer(
        key,
        node.getSpec().chainId(),
        reconcile.namespace(),
        reconcile.name(),
        node.getMetadata().getUid(),
        claim(reconcile),
        node.getSpec().remoteSigner().isPresent(),
        Optional.ofNullable(node.getSpec().validator()).map(Validator::acceptSigningStateLoss),
        reconcile.now());
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
                    handle(reconcile.status(), it.getMetadata().getUid())));
  }

  private static String handle(SeiNodeStatus status, String claimUid) {
    return Optional.ofNullable(status.dataVolume())
        .filter(it -> claimUid.equals(it.claimUid()))
        .map(it -> it.handle())
        .orElse(null);
  }
}
