package io.sei.operator.install;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sei.operator.config.ConfigException;
import io.sei.operator.config.ConfigKey;
import io.sei.operator.config.ConfigType;
import io.sei.operator.config.OperatorConfig;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The schema of the chart's config: it accepts a text exactly if the operator starts with it. */
class SettingsSchemaTest {

  private static final Map<ConfigType, List<String>> TEXTS = new EnumMap<>(ConfigType.class);

  static {
    TEXTS.put(ConfigType.BOOLEAN, List.of("true", "FALSE", "yes", "1", "tru"));
    TEXTS.put(ConfigType.LOG_LEVEL, List.of("info", "TRACE", "verbose", "warning"));
    TEXTS.put(ConfigType.LOG_FORMAT, List.of("json", "text", "JSON", "xml"));
    TEXTS.put(ConfigType.SIGNING_SCOPE, List.of("Cluster", "Namespaces", "cluster", "Namespace"));
    TEXTS.put(ConfigType.NLB_TARGET, List.of("ip", "INSTANCE", "node"));
    TEXTS.put(
        ConfigType.THREADS, List.of("1", "9", "32", "199", "256", "0", "257", "-1", "a", "1.5"));
    TEXTS.put(
        ConfigType.DEADLINE,
        List.of("1s", "999ms", "1000ms", "168h", "169h", "10081m", "10080m", "604801s", "7d", "5"));
    TEXTS.put(
        ConfigType.TIMEOUT,
        List.of(
            "10ms", "9ms", "300s", "301s", "5m", "6m", "1h", "0s", "300000ms", "300001ms", "2S"));
    TEXTS.put(ConfigType.DELAY, List.of("0s", "0ms", "300s", "301s", "10", "1m", "-1s"));
    TEXTS.put(ConfigType.FILE, List.of("/a/b", "a/b"));
    TEXTS.put(
        ConfigType.URL,
        List.of("http://p:9090", "https://p.m/x", "p:9090", "http://a@p", "http://p?a", "ftp://p"));
    TEXTS.put(
        ConfigType.URL_TEMPLATE,
        List.of("http://{podIP}:8443", "https://{name}.{namespace}:1", "http://pod", "{podIP}"));
    TEXTS.put(
        ConfigType.IMAGE, List.of("ghcr.io/a/b:c", "a@sha256:b", ":latest", "a b", "-a", "a!"));
    TEXTS.put(ConfigType.CPU, List.of("4", "500m", "0.5", "0.0", "0", "0m", "4k", "256Mi", "-1"));
    TEXTS.put(
        ConfigType.BYTES,
        List.of("16Gi", "2T", "500k", "1.5Gi", "256MB", "256Mb", "0Gi", "10Ki", "1m", "0.001Gi"));
    TEXTS.put(ConfigType.SUBDOMAIN, List.of("a", "a-b.c1", "A", "-a", "a_b", "a..b", "a-"));
    TEXTS.put(ConfigType.LABEL_VALUE, List.of("a", "A_b.c-D", "-a", "a/b", "a-", "a".repeat(64)));
    TEXTS.put(ConfigType.QUALIFIED_NAME, List.of("workload", "sei.io/w", "/w", "A.b/w", "a/b/c"));
    TEXTS.put(ConfigType.WORD, List.of("bucket", "results/", "a b", "\u00e9"));
  }

  @Test
  void acceptsWhatTheOperatorStartsWith() throws IOException {
    JsonNode settings = settings();
    Set<ConfigType> tried = new TreeSet<>();
    for (ConfigKey key : ConfigKey.all()) {
      JsonNode schema = settings.path(key.name());
      if (schema.isMissingNode()) {
        continue;
      }
      tried.add(key.type());
      assertThat(accepts(schema, key.defaultText())).as(key.name()).isTrue();
      for (String text : TEXTS.get(key.type())) {
        assertThat(accepts(schema, text))
            .as("%s: %s", key.name(), text)
            .isEqualTo(starts(key, text));
      }
    }
    assertThat(tried).containsExactlyInAnyOrderElementsOf(TEXTS.keySet());
  }

  /** YAML reads these as numbers and booleans; the chart writes them as a person did. */
  @ParameterizedTest
  @CsvSource({
    "SEI_RECONCILE_THREADS, 256, true",
    "SEI_RECONCILE_THREADS, 257, false",
    "SEI_RECONCILE_THREADS, 0, false",
    "SEI_RECONCILE_THREADS, 1.5, false",
    "SEI_RECONCILE_THREADS, true, false",
    "SEI_RESOURCE_CPU_DEFAULT, 4, true",
    "SEI_RESOURCE_CPU_DEFAULT, 0.5, true",
    "SEI_RESOURCE_CPU_DEFAULT, 0, false",
    "SEI_RETAIN_VOLUMES, true, true",
    "SEI_RETAIN_VOLUMES, 1, false",
    "SEI_NODEPOOL_NAME, 12, true",
    "SEI_WATCH_SILENCE, 120, false",
  })
  void acceptsNumbersAndBooleansWhereTheyAreMeant(String name, String json, boolean accepted)
      throws IOException {
    JsonNode value = new ObjectMapper().readTree(json);

    assertThat(accepts(settings().get(name), value)).isEqualTo(accepted);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "0, 9", "1, 256", "10, 300", "1000, 16800", "7, 7", "99, 101", "0, 65535"})
  void expressionMatchesTheNumbersOfTheRangeAndNoOther(int min, int max) {
    String expression = ChartSchema.numbers(min, max);

    assertThat(
            IntStream.rangeClosed(0, max + 1100)
                .filter(number -> String.valueOf(number).matches(expression))
                .boxed()
                .collect(Collectors.toSet()))
        .isEqualTo(IntStream.rangeClosed(min, max).boxed().collect(Collectors.toSet()));
  }

  private static boolean starts(ConfigKey key, String text) {
    try {
      OperatorConfig.fromEnvironment(Map.of(key.name(), text));
      return true;
    } catch (ConfigException e) {
      return false;
    }
  }

  private static JsonNode settings() throws IOException {
    return new ObjectMapper()
        .readTree(ChartSchema.FILE.toFile())
        .at("/properties/config/properties");
  }

  private static boolean accepts(JsonNode schema, String text) {
    return accepts(schema, new ObjectMapper().getNodeFactory().textNode(text));
  }

  /** The keywords of JSON Schema that the settings use. */
  private static boolean accepts(JsonNode schema, JsonNode value) {
    if (schema.has("enum")) {
      return schema.get("enum").valueStream().anyMatch(value::equals);
    }
    if (!isOfType(schema.get("type"), value)) {
      return false;
    }
    if (value.isTextual()) {
      return value.asText().matches(schema.get("pattern").asText())
          && value.asText().length() <= schema.path("maxLength").asInt(Integer.MAX_VALUE);
    }
    double number = value.asDouble();
    return number >= schema.path("minimum").asDouble(Double.NEGATIVE_INFINITY)
        && number <= schema.path("maximum").asDouble(Double.POSITIVE_INFINITY)
        && number > schema.path("exclusiveMinimum").asDouble(Double.NEGATIVE_INFINITY);
  }

  private static boolean isOfType(JsonNode types, JsonNode value) {
    Set<String> all =
        types.isArray()
            ? types.valueStream().map(JsonNode::asText).collect(Collectors.toSet())
            : Set.of(types.asText());
    if (value.isTextual()) {
      return all.contains("string");
    }
    return all.contains("number") && value.isNumber()
        || all.contains("integer") && value.isIntegralNumber();
  }
}
