package io.sei.operator.testkit;

import java.net.URI;
import java.util.Map;

/** A sidecar with an empty home that {@link SidecarContractCase} talks to. */
interface TestedSidecar extends AutoCloseable {

  /** Variables that a process needs, and finds in its environment unless a test sets others. */
  Map<String, String> ENVIRONMENT =
      Map.of(
          "SEI_CHAIN_ID", "pacific-1",
          "SEI_GENESIS_BUCKET", "unset",
          "SEI_GENESIS_REGION", "unset",
          "SEI_SNAPSHOT_BUCKET", "unset",
          "SEI_SNAPSHOT_REGION", "unset");

  /** Returns the URL before paths such as {@code /v0/tasks}. */
  URI url();

  /** The version whose rules hold for it. */
  SidecarVersion version();

  /**
   * Returns the value that seid would read for a key in a table of a file, empty if there is no
   * such key; the simulator has only keys that were set.
   */
  String setting(String file, String table, String key);

  /** Returns the value of a key of state sync. */
  default String stateSync(String key) {
    return setting("config.toml", "statesync", key);
  }

  /** Ends the process and starts another one on the same home. */
  void restart();

  /** Removes from the home the file that says that state sync is configured. */
  void forgetStateSync();

  /**
   * The last words of another process, which exits with code 1, where these variables take the
   * place of those in {@link #ENVIRONMENT}.
   */
  String refusal(Map<String, String> variables);

  /** Makes the RPC of a loopback host hang for every client; returns the host. */
  String hangingPeer();

  /** Has that host answer, with nothing of use. */
  void releasePeer();

  /** A host whose RPC tells of blocks; returns it. */
  String answeringPeer();

  /** A host that refuses every connection; returns it. */
  String deadPeer();

  @Override
  void close();
}
