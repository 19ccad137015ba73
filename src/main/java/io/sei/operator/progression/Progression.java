package io.sei.operator.progression;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.SnapshotGeneration;
import io.sei.operator.plan.Step;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** What a sidecar is asked to write into the configuration, and to restore on the volume. */
public final class Progression {

  /** Sets keys in the files that are there, rather than writing them from the mode's defaults. */
  private static final String INCREMENTAL = "incremental";

  private static final String TARGET_HEIGHT = "targetHeight";
  private static final String RESTORED_HEIGHT = "restoredHeight";

  private Progression() {}

  /** Whether a node is to upload the snapshots that it makes. */
  public static boolean publishes(SeiNodeSpec spec) {
    return spec.stateSyncSnapshots().map(SnapshotGeneration.Tendermint::publish).isPresent();
  }

  /**
   * From a configuration that was applied to the one a spec asks for. Keys are set in the files
   * that are there. They are written again only where they are an earlier node's, or a key is no
   * longer asked for: nobody but the sidecar knows the value it goes back to.
   *
   * @param files as in {@link #configApply}
   */
  public static Step patch(SeiNodeSpec spec, AppliedConfig applied, ConfigFiles files) {
    boolean changed =
        applied != null
            && (Boolean.TRUE.equals(applied.inherited()) || !keysLeft(spec, applied).isEmpty());
    return configApply(spec, changed ? files : ConfigFiles.KEPT);
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
   * @param files kept where state sync may have been configured on the volume before: the sidecar
   *     does that once in a volume's life, and files that are written again are without it. Where
   *     that is undecided, so is {@code incremental}
   */
  public static Step configApply(SeiNodeSpec spec, ConfigFiles files) {
    ObjectNode params =
        JsonNodeFactory.instance.objectNode().put("mode", ModeDefaults.modeOf(spec));
    if (files != ConfigFiles.UNDECIDED) {
      params.put(INCREMENTAL, files == ConfigFiles.KEPT);
    }
    params.put("targetVersion", 0);
    ModeDefaults.overrides(spec).forEach(params.putObject("overrides")::put);
    return new Step(SidecarTaskTypes.CONFIG_APPLY, params);
  }

  /** Whether parameters of {@code config-apply} leave open what becomes of the files. */
  public static boolean isUndecided(JsonNode params) {
    return params != null && !params.has(INCREMENTAL);
  }

  /** The parameters with the files kept, or written again. */
  public static JsonNode decided(JsonNode params, boolean kept) {
    return ((ObjectNode) params.deepCopy()).put(INCREMENTAL, kept);
  }

  /** Restores a snapshot from S3. */
  public static Step restore(Snapshot.S3 s3) {
    return new Step(
        SidecarTaskTypes.SNAPSHOT_RESTORE,
        JsonNodeFactory.instance.objectNode().put(TARGET_HEIGHT, s3.targetHeight()));
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
}
