package io.sei.operator.progression;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The configuration a spec asks for. The operator names a mode and keys; what they come to, and in
 * which file, is sei-config's to know, inside the sidecar.
 *
 * @param mode whose defaults the keys are set over
 * @param overrides sei-config keys: the operator's for the mode and, over them, the user's
 */
record ConfigIntent(String mode, SortedMap<String, String> overrides) {

  /** Sets keys in the files that are there, rather than writing them from the mode's defaults. */
  static final String INCREMENTAL = "incremental";

  static ConfigIntent of(SeiNodeSpec spec) {
    var overrides = new TreeMap<>(ModeDefaults.of(spec));
    Optional.ofNullable(spec.overrides()).ifPresent(overrides::putAll);
    return new ConfigIntent(ModeDefaults.modeOf(spec), overrides);
  }

  /**
   * Parameters of {@code config-apply}.
   *
   * @param files where that is undecided, so is {@code incremental}
   */
  ObjectNode params(ConfigFiles files) {
    ObjectNode params = JsonNodeFactory.instance.objectNode().put("mode", mode);
    if (files != ConfigFiles.UNDECIDED) {
      params.put(INCREMENTAL, files == ConfigFiles.KEPT);
    }
    params.put("targetVersion", 0);
    overrides.forEach(params.putObject("overrides")::put);
    return params;
  }
}
