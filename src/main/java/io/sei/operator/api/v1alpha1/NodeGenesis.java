package io.sei.operator.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** Source of the genesis of a node's chain. */
public record NodeGenesis(
    @Required @JsonPropertyDescription("A ConfigMap of the node's namespace.")
        ConfigMapKey configMap) {

  /** The key of a ConfigMap. */
  public record ConfigMapKey(
      @Required
          @Size(min = 1, max = 253)
          @Pattern(Patterns.DNS_SUBDOMAIN)
          @JsonPropertyDescription("Name of the ConfigMap.")
          String name,
      @Size(min = 1, max = 253)
          @Pattern(Patterns.CONFIG_KEY)
          @JsonPropertyDescription(
              "Key of the genesis, in data as JSON, or in binaryData compressed by gzip if it ends"
                  + " in .gz; genesis.json if unset.")
          String key) {

    private static final String DEFAULT_KEY = "genesis.json";

    /** The key, also where the spec names none. */
    public String keyOrDefault() {
      return key == null ? DEFAULT_KEY : key;
    }

    /** Returns whether what the key holds is compressed. */
    @JsonIgnore
    public boolean isCompressed() {
      return keyOrDefault().endsWith(".gz");
    }

    @Override
    public String toString() {
      return "key %s of ConfigMap %s".formatted(keyOrDefault(), name);
    }
  }
}
