package io.sei.operator.node.signing;

import io.sei.operator.api.v1alpha1.SeiSigningKeySpec;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Claim;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.Holder;
import io.sei.operator.api.v1alpha1.SeiSigningKeySpec.State;
import io.sei.operator.base.Sha256;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;

/**
 * A node that wants to sign with a key.
 *
 * @param key the public key, in base64
 * @param volume the claim with its own data; empty before it has one
 * @param remote whether it signs with a signer that dials in, which records what was signed
 * @param accepted UID of the claim whose signing state its spec lets go; empty for none
 */
record Signer(
    String key,
    String chainId,
    String namespace,
    String node,
    String uid,
    Optional<Claim> volume,
    boolean remote,
    Optional<String> accepted,
    Instant now) {

  /** As many bytes as the address of a validator in its chain has, which this is. */
  private static final int NAME_BYTES = 20;

  /** The name of the record of a key. */
  static String recordOf(String publicKey) {
    return Sha256.of(bytes(publicKey), NAME_BYTES);
  }

  private static byte[] bytes(String publicKey) {
    try {
      return Base64.getDecoder().decode(publicKey);
    } catch (IllegalArgumentException e) {
      // As an earlier version may have recorded it.
      return publicKey.getBytes(StandardCharsets.UTF_8);
    }
  }

  String record() {
    return recordOf(key);
  }

  /** Where what it signs is recorded; empty if that is not there yet. */
  Optional<Claim> claim() {
    return remote ? Optional.of(Claim.REMOTE_SIGNER) : volume;
  }

  /** Whether a record names this very node. */
  boolean holds(SeiSigningKeySpec record) {
    return uid.equals(record.holder().uid());
  }

  /** A record that says this node holds the key. */
  SeiSigningKeySpec holding(State state) {
    return new SeiSigningKeySpec(
        key,
        chainId,
        state,
        new Holder(namespace, node, uid, null, null, now, null),
        claim().orElse(null),
        null,
        null);
  }
}
