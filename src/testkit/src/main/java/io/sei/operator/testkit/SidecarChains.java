package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Optional;
import java.util.OptionalLong;

/** Chains that a sidecar reaches over RPC: that of its peers, and that of the seid beside it. */
interface SidecarChains {

  /**
   * The newest height that a witness tells.
   *
   * @param witness as {@code host:port}
   * @return empty if it does not answer
   */
  OptionalLong latest(String witness);

  /** The hash of a block, in hexadecimal; empty if the witness does not tell it. */
  Optional<String> hash(String witness, long height);

  /**
   * Signs what a task asks for, broadcasts it, and waits for its block.
   *
   * @return what a task shows of it
   * @throws TaskFailure if it is in no block
   */
  JsonNode include(SidecarTask transaction);
}
