package io.sei.operator.render;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.base.Json;
import io.sei.operator.base.Sha256;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Digest of what the user asks of a node's configuration: it is handed to the sidecar again when
 * this changes. As in the spec hash, the operator's own defaults take no part, so a new version of
 * the operator leaves every node alone.
 */
public final class ConfigHash {

  private static final String PREFIX = "c1:";

  /** Hash of files that were written and never found valid; no spec has it. */
  public static final String UNVALIDATED = PREFIX + "unvalidated";

  private static final JsonMapper JSON =
      Json.builder()
          .serializationInclusion(JsonInclude.Include.NON_EMPTY)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .build();

  private ConfigHash() {}

  /** The hash of a spec. */
  public static String of(SeiNodeSpec spec) {
    SortedMap<String, Object> intent =
        SpecFields.intent(spec, field -> field.effect() == SpecFields.Effect.CONFIGURES);
    intent.put("mode", NodeMode.of(spec).inSeiConfig());
    return of(intent);
  }

  /**
   * Returns the hash of everything that matters to the run of a {@link Bootstrap}; a run that has
   * begun continues while it stays the same.
   */
  public static String ofBootstrap(SeiNodeSpec spec) {
    var intent = new TreeMap<String, Object>();
    intent.put("pod", SpecHash.of(spec.withTerminationGracePeriodSeconds(null), null));
    intent.put("config", of(spec));
    spec.initialSnapshot().ifPresent(snapshot -> intent.put("snapshot", snapshot));
    return of(intent);
  }

  /** The hash of the parameters of a task, in whatever order; null for null. */
  public static String ofParams(JsonNode params) {
    return params == null ? null : of(JSON.convertValue(params, Object.class));
  }

  /** Returns whether a hash is one of this version's, so that it can be compared with others. */
  public static boolean isKnownFormat(String hash) {
    return hash != null && hash.startsWith(PREFIX);
  }

  private static String of(Object value) {
    try {
      return PREFIX + Sha256.shortOf(JSON.writeValueAsString(value));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("text, numbers, lists and maps are always JSON", e);
    }
  }
}
