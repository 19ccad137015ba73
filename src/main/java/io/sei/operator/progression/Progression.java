package io.sei.operator.progression;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.SnapshotGeneration;
import io.sei.operator.plan.Step;
import io.sei.operator.render.Bootstrap;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Which tasks a sidecar is given, in which order. Later ones build on earlier ones: {@code
 * config-apply} writes whole files, and what comes after it adds to them; {@code
 * configure-state-sync} asks the peers it finds there for a trusted block.
 */
public final class Progression {

  /** Sets keys in the files that are there, rather than writing them from the mode's defaults. */
  private static final String INCREMENTAL = "incremental";

  private static final String TARGET_HEIGHT = "targetHeight";
  private static final String RESTORED_HEIGHT = "restoredHeight";

  private Progression() {}

  /**
   * From a new volume to a node that may start; {@code mark-ready} is not part of it.
   *
   * @param files kept where state sync may have been configured on the volume before: the sidecar
   *     does that once in a volume's life, and files that are written again are without it
   */
  public static List<Step> init(SeiNodeSpec spec, ConfigFiles files) {
    return Stream.of(bootstrap(spec, files), upload(spec)).flatMap(List::stream).toList();
  }

  /**
   * What comes before seid replays up to a height in a {@link Bootstrap}. An upload is not part of
   * it, for it ends only with its pod.
   *
   * @param files as in {@link #init}
   */
  public static List<Step> bootstrap(SeiNodeSpec spec, ConfigFiles files) {
    Optional<Snapshot> snapshot = spec.initialSnapshot();
    return steps(
        // A chain without a genesis is found out before hours are spent on a download.
        step(SidecarTaskTypes.CONFIGURE_GENESIS),
        snapshot
            .map(Snapshot::s3)
            .map(s3 -> new Step(SidecarTaskTypes.SNAPSHOT_RESTORE, restore(s3))),
        configApply(spec, files),
        discoverPeers(spec),
        snapshot
            .map(Progression::stateSync)
            .map(params -> new Step(SidecarTaskTypes.CONFIGURE_STATE_SYNC, params)),
        step(SidecarTaskTypes.CONFIG_VALIDATE));
  }

  /**
   * From a volume that a {@link Bootstrap} has left to a node that may start. The configuration is
   * written again, so that nothing of state sync is left in it.
   */
  public static List<Step> afterBootstrap(SeiNodeSpec spec) {
    var steps =
        steps(
            step(SidecarTaskTypes.CONFIGURE_GENESIS),
            configApply(spec, ConfigFiles.REPLACED),
            discoverPeers(spec),
            step(SidecarTaskTypes.CONFIG_VALIDATE));
    return Stream.of(steps, upload(spec)).flatMap(List::stream).toList();
  }

  /** Whether a node is to upload the snapshots that it makes. */
  public static boolean publishes(SeiNodeSpec spec) {
    return spec.stateSyncSnapshots().map(SnapshotGeneration.Tendermint::publish).isPresent();
  }

  /** Uploads snapshots, where a spec asks for that. */
  public static List<Step> upload(SeiNodeSpec spec) {
    return publishes(spec) ? steps(step(SidecarTaskTypes.SNAPSHOT_UPLOAD)) : List.of();
  }

  /**
   * From a configuration that was applied to the one a spec asks for. Keys are set in the files
   * that are there. They are written again only where they are an earlier node's, or a key is no
   * longer asked for: nobody but the sidecar knows the value it goes back to.
   *
   * @param files as in {@link #init}
   */
  public static List<Step> patch(SeiNodeSpec spec, AppliedConfig applied, ConfigFiles files) {
    boolean changed =
        applied != null
            && (Boolean.TRUE.equals(applied.inherited()) || !keysLeft(spec, applied).isEmpty());
    return steps(
        configApply(spec, changed ? files : ConfigFiles.KEPT),
        discoverPeers(spec),
        step(SidecarTaskTypes.CONFIG_VALIDATE));
  }

  /** Hands over nothing but peers, of which others have become known. */
  public static List<Step> peers(SeiNodeSpec spec) {
    return steps(discoverPeers(spec), step(SidecarTaskTypes.CONFIG_VALIDATE));
  }

  /** The sei-config keys that a spec comes to, sorted. */
  public static List<String> keys(SeiNodeSpec spec) {
    var keys = new TreeSet<>(ModeDefaults.overrides(spec).keySet());
    if (PeerSources.areWanted(spec)) {
      keys.add(PeerSources.KEY);
    }
    return List.copyOf(keys);
  }

  /** Keys that are in the files and that the spec does not ask for, sorted. */
  public static List<String> keysLeft(SeiNodeSpec spec, AppliedConfig applied) {
    var left = new TreeSet<String>();
    Optional.ofNullable(applied.keys()).ifPresent(left::addAll);
    Optional.ofNullable(applied.keysLeft()).ifPresent(left::addAll);
    keys(spec).forEach(left::remove);
    return List.copyOf(left);
  }

  /**
   * Writes the configuration a spec asks for. The operator names a mode and keys; what they come
   * to, and in which file, is sei-config's to know, inside the sidecar.
   *
   * @param files where that is undecided, so is {@code incremental}
   */
  private static Optional<Step> configApply(SeiNodeSpec spec, ConfigFiles files) {
    ObjectNode params =
        JsonNodeFactory.instance.objectNode().put("mode", ModeDefaults.modeOf(spec));
    if (files != ConfigFiles.UNDECIDED) {
      params.put(INCREMENTAL, files == ConfigFiles.KEPT);
    }
    params.put("targetVersion", 0);
    ModeDefaults.overrides(spec).forEach(params.putObject("overrides")::put);
    return Optional.of(new Step(SidecarTaskTypes.CONFIG_APPLY, params));
  }

  /** Whether parameters of {@code config-apply} leave open what becomes of the files. */
  public static boolean isUndecided(JsonNode params) {
    return params != null && !params.has(INCREMENTAL);
  }

  /** The parameters with the files kept, or written again. */
  public static JsonNode decided(JsonNode params, boolean kept) {
    return ((ObjectNode) params.deepCopy()).put(INCREMENTAL, kept);
  }

  /** Who the peers of a label are is found out as late as can be, when the task runs. */
  private static Optional<Step> discoverPeers(SeiNodeSpec spec) {
    return PeerSources.areLabelled(spec)
        ? step(SidecarTaskTypes.DISCOVER_PEERS)
        : PeerSources.params(spec, List.of())
            .map(params -> new Step(SidecarTaskTypes.DISCOVER_PEERS, params));
  }

  private static Optional<Step> step(String type) {
    return Optional.of(new Step(type, null));
  }

  @SafeVarargs
  private static List<Step> steps(Optional<Step>... steps) {
    return Stream.of(steps).flatMap(Optional::stream).toList();
  }

  private static ObjectNode restore(Snapshot.S3 s3) {
    return JsonNodeFactory.instance.objectNode().put(TARGET_HEIGHT, s3.targetHeight());
  }

  /**
   * A restore on a volume that an earlier task may have restored already.
   *
   * @param earlier parameters of the earlier task, itself from here or not
   */
  public static Step restoreAfter(JsonNode earlier, Step step) {
    long height = restoredHeight(earlier).orElse(earlier.path(TARGET_HEIGHT).asLong());
    ObjectNode params = step.params().deepCopy();
    return step.params().path(TARGET_HEIGHT).asLong() == height
        ? step
        : new Step(step.type(), params.put(RESTORED_HEIGHT, height));
  }

  /** The height for which a volume was restored, if that is not the one asked for. */
  public static Optional<Long> restoredHeight(JsonNode params) {
    return Optional.ofNullable(params)
        .map(it -> it.path(RESTORED_HEIGHT))
        .filter(JsonNode::isNumber)
        .map(JsonNode::asLong);
  }

  /** A snapshot from S3 is restored by state sync too, from the files on the volume. */
  private static ObjectNode stateSync(Snapshot snapshot) {
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    if (snapshot.s3() != null) {
      params.put("useLocalSnapshot", true);
    }
    if (snapshot.trustPeriod() != null && !snapshot.trustPeriod().isEmpty()) {
      params.put("trustPeriod", snapshot.trustPeriod());
    }
    if (snapshot.backfillBlocks() != null && snapshot.backfillBlocks() != 0) {
      params.put("backfillBlocks", snapshot.backfillBlocks());
    }
    return params;
  }
}
