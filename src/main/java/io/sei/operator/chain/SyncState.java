package io.sei.operator.chain;

import java.time.Instant;
import java.util.Optional;

/**
 * PURE: progress and peers of a node, by its own answers.
 *
 * @param chainId the chain that the node says it is on
 * @param height of its newest block; 0 before the first
 * @param time of that block; long ago before the first
 * @param catchingUp whether it fetches blocks that its peers have, by its own word
 * @param furthest the greatest height that a peer has told it of; empty before that, and of
 *     programs that do not say
 * @param peers how many it is connected to; empty if it does not say
 * @param signingKey the Ed25519 key that it signs with, 32 bytes in base64; empty if it signs
 *     nothing, or with a key of another kind
 */
public record SyncState(
    String chainId,
    long height,
    Instant time,
    boolean catchingUp,
    Optional<Long> furthest,
    Optional<Integer> peers,
    Optional<String> signingKey) {

  /** Number of blocks by which its peers are ahead; empty if unknown. */
  public Optional<Long> lag() {
    return furthest.map(number -> Math.max(0, number - height));
  }
}
