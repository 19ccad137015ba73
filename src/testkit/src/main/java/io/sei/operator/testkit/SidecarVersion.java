package io.sei.operator.testkit;

import java.util.Map;

/**
 * A sidecar that {@link SidecarSimulator} can be: a release of seictl, or the {@code sei-sidecar}
 * of the Go operator's tree as it was in October 2026. None tells its version; clients see it by
 * the task types that are refused, and by the rules below.
 */
public enum SidecarVersion {
  V0_0_50(50),
  V0_0_62(62),
  V0_0_70(70),
  IN_TREE(71);

  private static final int FIRST = 0;

  /** The first that knows a type: seen on 0.0.50 to 0.0.70, read in the source of the later one. */
  private static final Map<String, Integer> TASK_TYPES =
      Map.ofEntries(
          Map.entry("snapshot-restore", FIRST),
          Map.entry("discover-peers", FIRST),
          Map.entry("config-patch", FIRST),
          Map.entry("config-apply", FIRST),
          Map.entry("config-validate", FIRST),
          Map.entry("config-reload", FIRST),
          Map.entry("mark-ready", FIRST),
          Map.entry("configure-genesis", FIRST),
          Map.entry("configure-state-sync", FIRST),
          Map.entry("snapshot-upload", FIRST),
          Map.entry("result-export", FIRST),
          Map.entry("await-condition", FIRST),
          Map.entry("generate-identity", FIRST),
          Map.entry("generate-gentx", FIRST),
          Map.entry("upload-genesis-artifacts", FIRST),
          Map.entry("assemble-and-upload-genesis", FIRST),
          Map.entry("set-genesis-peers", FIRST),
          Map.entry("gov-vote", FIRST),
          Map.entry("gov-software-upgrade", FIRST),
          Map.entry("restart-seid", 56),
          Map.entry("gov-param-change", 58),
          Map.entry("evm-logical-digest", 60),
          Map.entry("mark-not-ready", 64),
          Map.entry("stop-seid", 64),
          Map.entry("reset-data", 64),
          Map.entry("snapshot-upload-once", 66),
          Map.entry("await-seid-start", 71),
          Map.entry("reset-data-keep-sign-state", 71),
          Map.entry("gov-update-instantiate-config", 71),
          Map.entry("evm-digest", 71),
          Map.entry("unjail", 71));

  /** The first that no longer knows a type. */
  private static final Map<String, Integer> REMOVED_TYPES =
      Map.of(
          "discover-peers", 57, "config-reload", 71, "result-export", 71, "evm-logical-digest", 71);

  private final int patch;

  SidecarVersion(int patch) {
    this.patch = patch;
  }

  /** Returns whether tasks of a type are accepted. */
  public boolean knows(String type) {
    Integer first = TASK_TYPES.get(type);
    return first != null
        && patch >= first
        && patch < REMOVED_TYPES.getOrDefault(type, Integer.MAX_VALUE);
  }

  /** Returns whether {@code GET /v0/status} tells the height of a seid that answers. */
  public boolean showsHeight() {
    return this == IN_TREE;
  }

  /** Returns whether config-patch writes 16 for 16, rather than 16.0. */
  public boolean keepsWholeNumbers() {
    return this == IN_TREE;
  }

  /** Returns whether 16.0 is read where a whole number belongs. */
  public boolean readsFractions() {
    return patch >= 63;
  }

  /**
   * Returns whether state sync may be told its witnesses, rather than take two of the node's peers.
   */
  public boolean readsRpcServers() {
    return patch >= 55;
  }

  /** Returns whether witnesses are tried first, and those that are silent left out. */
  public boolean probesWitnesses() {
    return patch >= 55;
  }

  /** Returns its version of the configuration: 1 was seen on 0.0.50, 2 from 0.0.62 on. */
  public int configVersion() {
    return patch < 62 ? 1 : 2;
  }

  /** Returns whether a task may show a result. */
  public boolean showsResults() {
    return patch >= 59;
  }

  /** Returns whether a transaction's task shows whether it was included, as read in the source. */
  public boolean showsInclusion() {
    return patch >= 61;
  }

  /** Returns whether a process that gets SIGTERM may record running tasks as failed. */
  public boolean mayFailInterrupted() {
    return patch <= 60;
  }

  /**
   * Returns whether DELETE ends the work of a running task; before, the row came back with its end.
   */
  public boolean deleteCancels() {
    return patch >= 66;
  }
}
