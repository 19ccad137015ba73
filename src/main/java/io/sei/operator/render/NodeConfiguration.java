package io.sei.operator.render;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sei.operator.api.v1alpha1.ConfigValue;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SnapshotGeneration;
import io.sei.operator.base.Json;
import io.sei.operator.base.Sha256;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Configuration that a template requires of seid, for which seid is restarted, and which a sidecar
 * may refuse. It makes no new pod.
 */
public record NodeConfiguration(
    SortedMap<String, String> overrides,
    List<PeerSource> peers,
    List<ConfigValue> configValues,
    SnapshotGeneration snapshotGeneration,
    String externalAddress) {

  private static final JsonMapper JSON =
      Json.builder()
          .serializationInclusion(JsonInclude.Include.NON_EMPTY)
          .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
          .build();

  /** Returns the configuration of a spec; unset fields are empty. */
  public static NodeConfiguration of(SeiNodeSpec spec) {
    Map<String, String> overrides = spec.overrides() == null ? Map.of() : spec.overrides();
    return new NodeConfiguration(
        new TreeMap<>(overrides),
        spec.peers() == null ? List.of() : List.copyOf(spec.peers()),
        spec.configValues() == null ? List.of() : List.copyOf(spec.configValues()),
        spec.fullNode() != null
            ? spec.fullNode().snapshotGeneration()
            : spec.archive() != null ? spec.archive().snapshotGeneration() : null,
        spec.externalAddress());
  }

  /** Returns the configuration of a template that leaves the address to each node. */
  public NodeConfiguration withoutAddress() {
    return new NodeConfiguration(overrides, peers, configValues, snapshotGeneration, null);
  }

  /** A spec with this configuration in place of its own. */
  public SeiNodeSpec in(SeiNodeSpec spec) {
    return spec.with(
        builder ->
            builder
                .overrides(overrides.isEmpty() ? null : overrides)
                .peers(peers.isEmpty() ? null : peers)
                .configValues(configValues.isEmpty() ? null : configValues)
                .fullNode(
                    spec.fullNode() == null
                        ? null
                        : spec.fullNode().withSnapshotGeneration(snapshotGeneration))
                .archive(
                    spec.archive() == null
                        ? null
                        : spec.archive().withSnapshotGeneration(snapshotGeneration))
                .externalAddress(externalAddress));
  }

  /** A digest of it. */
  public String digest() {
    try {
      return Sha256.shortOf(JSON.writeValueAsString(this));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("text, lists and maps are always JSON", e);
    }
  }
}
