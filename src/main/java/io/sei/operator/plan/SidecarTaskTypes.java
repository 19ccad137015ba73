package io.sei.operator.plan;

import java.util.Set;

/** Types of the tasks that the sidecar carries out, as its API and persisted plans name them. */
public final class SidecarTaskTypes {

  public static final String CONFIGURE_GENESIS = "configure-genesis";
  public static final String SNAPSHOT_RESTORE = "snapshot-restore";
  public static final String CONFIG_APPLY = "config-apply";
  public static final String DISCOVER_PEERS = "discover-peers";
  public static final String CONFIGURE_STATE_SYNC = "configure-state-sync";
  public static final String CONFIG_VALIDATE = "config-validate";
  public static final String SNAPSHOT_UPLOAD = "snapshot-upload";
  public static final String MARK_READY = "mark-ready";

  /** Merges into files what {@link #CONFIG_APPLY} has no key for. */
  public static final String CONFIG_PATCH = "config-patch";

  /** Ends seid, which the kubelet starts again; known since v0.0.56. */
  public static final String RESTART_SEID = "restart-seid";

  /** Known since v0.0.64. */
  public static final String MARK_NOT_READY = "mark-not-ready";

  /** All of them. */
  public static final Set<String> ALL =
      Set.of(
          CONFIGURE_GENESIS,
          SNAPSHOT_RESTORE,
          CONFIG_APPLY,
          CONFIG_PATCH,
          DISCOVER_PEERS,
          CONFIGURE_STATE_SYNC,
          CONFIG_VALIDATE,
          SNAPSHOT_UPLOAD,
          MARK_READY,
          MARK_NOT_READY,
          RESTART_SEID);

  /** Tasks that check the user's configuration, and fail for no other cause. */
  public static final Set<String> OF_CONFIGURATION =
      Set.of(CONFIG_APPLY, CONFIG_PATCH, CONFIG_VALIDATE);

  private SidecarTaskTypes() {}
}
