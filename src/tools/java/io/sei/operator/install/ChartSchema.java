package io.sei.operator.install;

import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.config.ConfigKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Set;

/** {@code values.schema.json}, whose part on {@code config} is made from {@link ConfigKey}. */
final class ChartSchema {

  static final Path FILE = HelmChart.DIRECTORY.resolve("values.schema.json");

  /** What the chart sets by values of its own, or relies on. */
  private static final Set<String> SET_BY_THE_CHART =
      Set.of(
          "SEI_WATCH_NAMESPACES",
          "SEI_TAKEOVER_NAMESPACES",
          "SEI_SIDECAR_SERVICE_ACCOUNT",
          "SEI_SHARD",
          "SEI_METRICS_PORT",
          "SEI_HEALTH_PORT",
          "SEI_LEADER_ELECTION",
          "SEI_CONTROLLER_CONFIG",
          "POD_NAMESPACE");

  private ChartSchema() {}

  /** What the file must contain. */
  static String text() {
    ObjectMapper mapper = new ObjectMapper();
    try {
      ObjectNode schema = (ObjectNode) mapper.readTree(FILE.toFile());
      ((ObjectNode) schema.get("properties")).set("config", config(mapper));
      DefaultPrettyPrinter.Indenter indenter = new DefaultIndenter("  ", "\n");
      return mapper
              .writer(
                  new DefaultPrettyPrinter(
                          Separators.createDefaultInstance()
                              .withObjectFieldValueSpacing(Separators.Spacing.AFTER))
                      .withObjectIndenter(indenter)
                      .withArrayIndenter(indenter))
              .writeValueAsString(schema)
          + "\n";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ObjectNode config(ObjectMapper mapper) {
    ObjectNode config = mapper.createObjectNode();
    config.put("type", "object").put("additionalProperties", false);
    ObjectNode properties = config.putObject("properties");
    ConfigKey.all().stream()
        .filter(key -> !SET_BY_THE_CHART.contains(key.name()))
        .forEach(
            key ->
                properties
                    .putObject(key.name())
                    .put("description", key.doc())
                    .putArray("type")
                    .add("string")
                    .add("integer")
                    .add("boolean"));
    return config;
  }
}
