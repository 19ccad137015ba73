package io.sei.operator.node.signing;

import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Claim;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Holder;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Possession;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpecBuilder;
import io.sei.operator.api.v1alpha1.SigningKeyTransfer;
import io.sei.operator.base.Sha256;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;

/**
 * A node that requests a signing key.
 *
 * @param key the public key, in base64
 * @param possession Proved if the operator has just read the private key in the node's Secret
 * @param volume the claim with its own data; empty before it has one
 * @param remote whether it signs with a signer that dials in, which records what was signed
 * @param accepted UID of the claim whose signing state its spec lets go; empty for none
 * @param acceptedData UID of the claim whose data its spec lets go; empty for none
 * @param grace time that seid is given to end
 */
@RecordBuilder
record Signer(
    String key,
    Possession possession,
    String chainId,
    String namespace,
    String node,
    String uid,
    Optional<Claim> volume,
    boolean remote,
    Optional<String> accepted,
    Optional<String> acceptedData,
    Duration grace,
    Instant now)
    implements SignerBuilder.With {

  /** Number of bytes of the name, which is the address of the validator in its chain. */
  private static final int NAME_BYTES = 20;

  /** The digest of a public key: the name of its Proved record. */
  static String recordOf(String publicKey) {
    return Sha256.of(bytes(publicKey), NAME_BYTES);
  }

  /** The name under which this is recorded. */
  static String nameOf(SeiSigningKeySpec record) {
    String digest = recordOf(record.publicKey());
    return switch (record.possession()) {
      case PROVED -> digest;
      case DECLARED -> digest + "." + record.holder().namespace();
    };
  }

  private static byte[] bytes(String publicKey) {
    try {
      return Base64.getDecoder().decode(publicKey);
    } catch (IllegalArgumentException e) {
      // A pod, whose spec others can write, may name anything.
      return publicKey.getBytes(StandardCharsets.UTF_8);
    }
  }

  /** The name of the cluster's record of the key. */
  String record() {
    return recordOf(key);
  }

  /** The name of the namespace's record of the key, which counts while the cluster has none. */
  String declaredRecord() {
    return record() + "." + namespace;
  }

  boolean proves() {
    return possession == Possession.PROVED;
  }

  /** Returns the claim that records its signatures; empty if it does not exist yet. */
  Optional<Claim> claim() {
    return remote ? Optional.of(Claim.REMOTE_SIGNER) : volume;
  }

  /**
   * Returns whether a record names this very node. A holder without a uid that has not released the
   * key was written by an administrator, who means the node of that name.
   */
  boolean holds(SeiSigningKeySpec record) {
    Holder holder = record.holder();
    if (holder.uid() != null) {
      return uid.equals(holder.uid());
    }
    return holder.releasedAt() == null
        && namespace.equals(holder.namespace())
        && node.equals(holder.node());
  }

  /** Returns whether it goes on without the claim, or the remote signer, that has the state. */
  boolean givesUp(Claim last) {
    Optional<String> uid = Optional.of(last.uid());
    // The first field alone may be meant for a reset of a claim that was there.
    return accepted.equals(uid) && (last.isRemote() || acceptedData.equals(uid));
  }

  /** Returns whether the holder is a node of another namespace. */
  boolean isForeign(SeiSigningKeySpec record) {
    return !namespace.equals(record.holder().namespace());
  }

  /** Returns whether the holder, or an administrator, gives the key to this node. */
  boolean isGiven(SeiSigningKeySpec record) {
    return new SigningKeyTransfer(namespace, node).equals(record.transferTo());
  }

  /** A record that says this node holds the key. */
  SeiSigningKeySpec holding(State state) {
    return SeiSigningKeySpecBuilder.builder()
        .publicKey(key)
        .possession(possession)
        .chainId(chainId)
        .state(state)
        .holder(new Holder(namespace, node, uid, null, null, now, null))
        .claim(claim().orElse(null))
        .build();
  }
}
