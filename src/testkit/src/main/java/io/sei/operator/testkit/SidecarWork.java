package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Changes of a task to the home of its sidecar. Buckets hold whatever is asked for, and a peer
 * answers unless it was made silent. A type that is not listed here has no effect.
 */
public final class SidecarWork {

  /** The height of the newest snapshot in the bucket. */
  private static final long NEWEST_SNAPSHOT = 9_000;

  private final SidecarVersion version;
  private final PeerWork peers;

  SidecarWork(SidecarVersion version, SidecarChains chains) {
    this.version = version;
    peers = new PeerWork(version, chains);
  }

  /** The home after a task, for tests without a sidecar; every peer answers. */
  public static SidecarHome after(
      SidecarVersion version, SidecarHome home, String type, JsonNode params) {
    return new SidecarWork(version, new SimulatedChains(host -> false, transaction -> {}))
        .carryOut(type, params, home);
  }

  /** The home after the task; a {@link TaskFailure} leaves it as it was. */
  SidecarHome carryOut(SidecarTask task, SidecarHome home) {
    return carryOut(task.type(), task.params(), home);
  }

  private SidecarHome carryOut(String type, JsonNode json, SidecarHome home) {
    TaskParams params = TaskParams.of(type, json);
    return switch (type) {
      case "configure-genesis" -> once(home, SidecarHome.GENESIS_DONE, UnaryOperator.identity());
      case "snapshot-restore" ->
          once(home, SidecarHome.SNAPSHOT_DONE, empty -> restore(params, empty));
      case "generate-identity" ->
          once(home, SidecarHome.IDENTITY_DONE, empty -> identify(params, empty));
      case "configure-state-sync" ->
          once(
              home,
              SidecarHome.STATE_SYNC_DONE,
              before -> peers.configureStateSync(params, before));
      case "config-apply" -> ConfigWork.apply(version, params, home);
      case "config-patch" -> ConfigPatch.carryOut(version, params, home);
      case "config-validate" -> ConfigWork.validate(version, home);
      case "discover-peers" -> PeerWork.discover(params, home);
      case "reset-data", "reset-data-keep-sign-state" -> home.withoutData();
      default -> home;
    };
  }

  /** A marker makes any later run a no-op that completes, whatever its parameters. */
  private static SidecarHome once(
      SidecarHome home, String marker, UnaryOperator<SidecarHome> work) {
    return home.markers().contains(marker) ? home : work.apply(home).marked(marker);
  }

  private static SidecarHome identify(TaskParams params, SidecarHome home) {
    for (String name : List.of("chainId", "moniker")) {
      if (params.text(name, "string").isEmpty()) {
        throw new TaskFailure("generate-identity: missing required param '" + name + "'");
      }
    }
    return home.withIdentity();
  }

  private static SidecarHome restore(TaskParams params, SidecarHome home) {
    long target = params.number("targetHeight");
    if (target < 0) {
      throw new TaskFailure("snapshot-restore: targetHeight must be >= 0, got " + target);
    }
    return home.withSnapshot(target == 0 ? NEWEST_SNAPSHOT : target);
  }
}
