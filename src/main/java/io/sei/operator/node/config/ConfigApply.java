package io.sei.operator.node.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.node.feature.ConfigFiles;
import io.sei.operator.node.feature.ConfigParts;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.plan.Step;
import io.sei.operator.render.NodeMode;

/** PURE: what a sidecar is asked to write into the configuration. */
final class ConfigApply {

  /** Sets keys in the files that are there, rather than writing them from the mode's defaults. */
  private static final String INCREMENTAL = "incremental";

  private ConfigApply() {}

  /**
   * Returns the step from the applied configuration to the desired one. Keys are set in the
   * existing files. The files are written anew only where they are an earlier node's, or a key is
   * no longer set: only the sidecar knows its default.
   */
  static Step patch(SeiNodeSpec spec, ConfigParts parts, AppliedConfig applied) {
    boolean changed =
        applied != null
            && (Boolean.TRUE.equals(applied.inherited())
                || !ConfigPatch.left(parts, applied).allMatch(ConfigPatch::isNeverWrittenAgain));
    return whole(spec, parts, changed ? parts.files() : ConfigFiles.KEPT);
  }

  /**
   * Writes the configuration of a spec. The operator names a mode and keys; what they come to, and
   * in which file, is sei-config's to know, inside the sidecar.
   *
   * @param files where that is undecided, so is {@code incremental}
   */
  static Step whole(SeiNodeSpec spec, ConfigParts parts, ConfigFiles files) {
    ObjectNode params =
        JsonNodeFactory.instance.objectNode().put("mode", NodeMode.of(spec).inSeiConfig());
    if (files != ConfigFiles.UNDECIDED) {
      params.put(INCREMENTAL, files == ConfigFiles.KEPT);
    }
    params.put("targetVersion", 0);
    parts.overrides().forEach(params.putObject("overrides")::put);
    return new Step(SidecarTaskTypes.CONFIG_APPLY, params);
  }

  /** Returns whether parameters of {@code config-apply} leave open what becomes of the files. */
  static boolean isUndecided(JsonNode params) {
    return params != null && !params.has(INCREMENTAL);
  }

  /** The parameters with the files kept, or written again. */
  static JsonNode decided(JsonNode params, boolean kept) {
    return ((ObjectNode) params.deepCopy()).put(INCREMENTAL, kept);
  }
}
