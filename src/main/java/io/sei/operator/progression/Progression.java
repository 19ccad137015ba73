package io.sei.operator.progression;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.SnapshotGeneration;
import io.sei.operator.render.Bootstrap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Which tasks a sidecar is given, in which order. Later ones build on earlier ones: {@code
 * config-apply} writes whole files, and what comes after it adds to them; {@code
 * configure-state-sync} asks the peers it finds there for a trusted block.
 */
public final class Progression {

  private static final String TARGET_HEIGHT = "targetHeight";
  private static final String RESTORED_HEIGHT = "restoredHeight";

  private Progression() {}

  /**
   * From a new volume to a node that may start; {@code mark-ready} is not part of it.
   *
   * @param files kept where state sync may have been configured on the volume before: the sidecar
   *     does that once in a volume's life, and files that are written anew are without it
   */
  public static List<SidecarStep> init(SeiNodeSpec spec, ConfigFiles files) {
    var steps = new ArrayList<>(fromSnapshot(spec, files));
    steps.addAll(upload(spec));
    return List.copyOf(steps);
  }

  /**
   * What comes before seid replays up to a height in a {@link Bootstrap}. An upload is not part of
   * it, for it ends only with its pod.
   *
   * @param files as in {@link #init}
   */
  public static List<SidecarStep> bootstrap(SeiNodeSpec spec, ConfigFiles files) {
    return fromSnapshot(spec, files);
  }

  /**
   * From a volume that a {@link Bootstrap} has left to a node that may start. The configuration is
   * written anew, so that nothing of state sync is left in it.
   */
  public static List<SidecarStep> afterBootstrap(SeiNodeSpec spec) {
    var steps = new ArrayList<SidecarStep>();
    steps.add(SidecarStep.of(SidecarTaskTypes.CONFIGURE_GENESIS));
    steps.add(configApply(spec, ConfigFiles.REPLACED));
    addPeers(spec, steps);
    steps.add(SidecarStep.of(SidecarTaskTypes.CONFIG_VALIDATE));
    steps.addAll(upload(spec));
    return List.copyOf(steps);
  }

  private static List<SidecarStep> fromSnapshot(SeiNodeSpec spec, ConfigFiles files) {
    Optional<Snapshot> snapshot = Snapshot.of(spec);
    var steps = new ArrayList<SidecarStep>();
    // A chain without a genesis is found out before hours are spent on a download.
    steps.add(SidecarStep.of(SidecarTaskTypes.CONFIGURE_GENESIS));
    snapshot
        .map(Snapshot::s3)
        .map(Progression::restore)
        .ifPresent(params -> steps.add(new SidecarStep(SidecarTaskTypes.SNAPSHOT_RESTORE, params)));
    steps.add(configApply(spec, files));
    addPeers(spec, steps);
    snapshot
        .map(Progression::stateSync)
        .ifPresent(
            params -> steps.add(new SidecarStep(SidecarTaskTypes.CONFIGURE_STATE_SYNC, params)));
    steps.add(SidecarStep.of(SidecarTaskTypes.CONFIG_VALIDATE));
    return List.copyOf(steps);
  }

  /** Whether a node is to upload the snapshots that it makes. */
  public static boolean publishes(SeiNodeSpec spec) {
    return ModeDefaults.snapshots(spec).map(SnapshotGeneration.Tendermint::publish).isPresent();
  }

  /** Uploads snapshots, where a spec asks for that. */
  public static List<SidecarStep> upload(SeiNodeSpec spec) {
    return publishes(spec) ? List.of(SidecarStep.of(SidecarTaskTypes.SNAPSHOT_UPLOAD)) : List.of();
  }

  /**
   * From a configuration that was applied to the one a spec asks for. Keys are set in the files
   * that are there. They are written anew only where they are an earlier node's, or a key is no
   * longer asked for: nobody but the sidecar knows the value it goes back to.
   *
   * @param files as in {@link #init}
   */
  public static List<SidecarStep> patch(
      SeiNodeSpec spec, AppliedConfig applied, ConfigFiles files) {
    boolean changed =
        applied != null
            && (Boolean.TRUE.equals(applied.inherited()) || !keysLeft(spec, applied).isEmpty());
    var steps = new ArrayList<SidecarStep>();
    steps.add(configApply(spec, changed ? files : ConfigFiles.KEPT));
    addPeers(spec, steps);
    steps.add(SidecarStep.of(SidecarTaskTypes.CONFIG_VALIDATE));
    return List.copyOf(steps);
  }

  /** Hands over nothing but peers, of which others have become known. */
  public static List<SidecarStep> peers(SeiNodeSpec spec) {
    var steps = new ArrayList<SidecarStep>();
    addPeers(spec, steps);
    steps.add(SidecarStep.of(SidecarTaskTypes.CONFIG_VALIDATE));
    return List.copyOf(steps);
  }

  /** The sei-config keys that a spec comes to, sorted. */
  public static List<String> keys(SeiNodeSpec spec) {
    var keys = new TreeSet<>(ConfigIntent.of(spec).overrides().keySet());
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

  private static SidecarStep configApply(SeiNodeSpec spec, ConfigFiles files) {
    return new SidecarStep(SidecarTaskTypes.CONFIG_APPLY, ConfigIntent.of(spec).params(files));
  }

  /** Whether parameters of {@code config-apply} leave open what becomes of the files. */
  public static boolean isUndecided(JsonNode params) {
    return params != null && !params.has(ConfigIntent.INCREMENTAL);
  }

  /** The parameters with the files kept, or written anew. */
  public static JsonNode decided(JsonNode params, boolean kept) {
    return ((ObjectNode) params.deepCopy()).put(ConfigIntent.INCREMENTAL, kept);
  }

  /** Who the peers of a label are is found out as late as can be, when the task's turn has come. */
  private static void addPeers(SeiNodeSpec spec, List<SidecarStep> steps) {
    if (PeerSources.areLabelled(spec)) {
      steps.add(SidecarStep.of(SidecarTaskTypes.DISCOVER_PEERS));
      return;
    }
    PeerSources.params(spec, List.of())
        .ifPresent(params -> steps.add(new SidecarStep(SidecarTaskTypes.DISCOVER_PEERS, params)));
  }

  private static ObjectNode restore(Snapshot.S3 s3) {
    return JsonNodeFactory.instance.objectNode().put(TARGET_HEIGHT, s3.targetHeight());
  }

  /**
   * A restore on a volume that an earlier task may have restored already.
   *
   * @param earlier parameters of the earlier task, itself from here or not
   */
  public static SidecarStep restoreAfter(JsonNode earlier, SidecarStep step) {
    long height = restoredHeight(earlier).orElse(earlier.path(TARGET_HEIGHT).asLong());
    ObjectNode params = step.params().deepCopy();
    return step.params().path(TARGET_HEIGHT).asLong() == height
        ? step
        : new SidecarStep(step.type(), params.put(RESTORED_HEIGHT, height));
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
