package io.sei.operator.node.signing;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Claim;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Possession;
import io.sei.operator.api.v1alpha1.SigningRecord;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.PodSigningKey;
import io.sei.operator.node.signing.SigningKeyLock.RunningPod;
import java.util.Optional;

/**
 * Scope in which the operator looks for other nodes that sign with a node's key.
 *
 * @param lock the records of the cluster's keys; empty if nodes of a namespace alone count
 */
record SigningScope(Optional<SigningKeyLock> lock) {

  private static final String NAMESPACE =
      "; who signs with it in other namespaces is not seen (SEI_SIGNING_SCOPE is Namespaces)";

  /** Returns a message about a usable key, with the limits of what is known. */
  String words(String message) {
    return lock.isPresent() ? message : message + NAMESPACE;
  }

  /**
   * Has the record say of the node's pod what it is: a change of how the node signs, taken back
   * before the pod was replaced, may have recorded otherwise.
   */
  void noteAgain(NodePass pass, Signer self) {
    boolean remote = pass.node().getSpec().remoteSigner().isPresent();
    pass.view()
        .livePod()
        .filter(pod -> pod.getSpec().getNodeName() != null)
        .filter(pod -> PodSigningKey.isRemote(pod.getSpec()) == remote)
        .map(pod -> running(pass.stored().signingRecord(), pod))
        .ifPresent(pod -> lock.ifPresent(held -> held.note(self, pod)));
  }

  static RunningPod running(SigningRecord record, Pod pod) {
    boolean shared = record != null && record.sharedWith() != null;
    return new RunningPod(pod.getMetadata().getUid(), pod.getSpec().getNodeName(), shared);
  }

  /** A node as the signer with a key that its spec or its pod names. */
  static Signer declaring(NodePass pass, String key) {
    var node = pass.node();
    return SignerBuilder.builder()
        .key(key)
        .possession(Possession.DECLARED)
        .chainId(node.getSpec().chainId())
        .namespace(pass.namespace())
        .node(pass.name())
        .uid(node.getMetadata().getUid())
        .volume(claim(pass))
        .remote(node.getSpec().remoteSigner().isPresent())
        .accepted(
            Optional.ofNullable(node.getSpec().validator()).map(Validator::acceptSigningStateLoss))
        .acceptedData(
            Optional.ofNullable(node.getSpec().dataVolume()).map(DataVolume::acceptDataLoss))
        .grace(node.getSpec().gracePeriod())
        .now(pass.now())
        .build();
  }

  /**
   * Returns a signer with a Secret, which proves possession if it has the private key.
   *
   * @param secret the public key of the private one in the node's Secret, as it was just read
   */
  static Signer proving(NodePass pass, String key, Optional<String> secret) {
    boolean proved = secret.filter(key::equals).isPresent();
    return declaring(pass, key).withPossession(proved ? Possession.PROVED : Possession.DECLARED);
  }

  private static Optional<Claim> claim(NodePass pass) {
    return pass.view()
        .claim()
        .map(
            claim ->
                new Claim(
                    claim.getMetadata().getName(),
                    claim.getMetadata().getUid(),
                    handle(pass.draft(), claim.getMetadata().getUid()),
                    null));
  }

  private static String handle(SeiNodeStatus status, String claimUid) {
    return Optional.ofNullable(status.dataVolume())
        .filter(volume -> claimUid.equals(volume.claimUid()))
        .map(volume -> volume.handle())
        .orElse(null);
  }
}
