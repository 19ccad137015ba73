package io.sei.operator.node.sync;

import io.sei.operator.chain.SyncState;
import java.time.Duration;
import java.time.Instant;

/** PURE: state of catching up with the chain, by one answer of the node's RPC. */
enum CatchUpState {
  /** Its blocks are its peers', as far as it has heard. */
  CAUGHT_UP(Duration.ofSeconds(10)),
  /** The node has executed the last block that it may execute. */
  FROZEN(Duration.ofSeconds(10)),
  /** The node fetches blocks that its peers have. */
  CATCHING_UP(Duration.ofSeconds(30)),
  /** The node has no peers to fetch blocks from, and makes none itself. */
  NO_PEERS(Duration.ofMinutes(1)),
  /**
   * The node does not answer, as during the replacement of its pod. A pod that is replaced does not
   * for as long.
   */
  SILENT(Duration.ofMinutes(2));

  /** Number of blocks of seid's rpc.lag-threshold, beyond which its readiness fails. */
  private static final long FEW_BLOCKS = 300;

  /** Far more than a chain takes for a block. */
  private static final Duration OLD = Duration.ofMinutes(2);

  private final Duration settles;

  CatchUpState(Duration settles) {
    this.settles = settles;
  }

  /** Returns the time for which the state must last before it is reported. */
  Duration settles() {
    return settles;
  }

  /** Returns whether it has every block that it is to have. */
  boolean isComplete() {
    return this == CAUGHT_UP || this == FROZEN;
  }

  static CatchUpState of(SyncState state, Instant now) {
    boolean alone = state.peers().filter(peers -> peers == 0).isPresent();
    boolean behind =
        state.height() == 0
            || state.catchingUp()
            || state.lag().filter(lag -> lag > FEW_BLOCKS).isPresent();
    // A chain of one validator has no peers, and blocks all the same.
    boolean stands = state.time().isBefore(now.minus(OLD));
    if (alone && (behind || stands)) {
      return NO_PEERS;
    }
    return behind ? CATCHING_UP : CAUGHT_UP;
  }
}
