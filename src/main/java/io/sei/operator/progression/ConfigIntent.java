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

  static ConfigIntent of(SeiNodeSpec spec) {
    var overrides = new TreeMap<>(ModeDefaults.of(spec));
    Optional.ofNullable(spec.overrides()).ifPresent(overrides::putAll);
    return new ConfigIntent(ModeDefaults.modeOf(spec), overrides);
  }

  /**
   * Parameters of {@code config-apply}.
   *
   * @param incremental sets the keys in the files that are there, rather than writing the files
   *     anew from the mode's defaults
   */
  ObjectNode params(boolean incremental) {
    ObjectNode params =
        JsonNodeFactory.instance
            .objectNode()
            .put("mode", mode)
            .put("incremental", incremental)
            .put("targetVersion", 0);
    overrides.forEach(params.putObject("overrides")::put);
    return params;
  }
}
