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
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** {@code values.schema.json}, whose part on {@code config} is made from {@link ConfigKey}. */
final class ChartSchema {

  static final Path FILE = HelmChart.DIRECTORY.resolve("values.schema.json");

  /** Values that the chart sets itself, or relies on. */
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
          "SEI_RELEASES_CONFIG_MAP",
          "POD_NAMESPACE");

  private static final String LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?";
  private static final String LABEL_VALUE = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?";

  private ChartSchema() {}

  /** Returns the text of the file. */
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
        .forEach(key -> constrain(properties.putObject(key.name()), key));
    return config;
  }

  /**
   * Limits a value to those with which the operator starts, so that Helm refuses any other one. An
   * empty text is that of a setting that is not set. Go, whose expressions Helm takes, has no
   * look-ahead.
   */
  private static void constrain(ObjectNode schema, ConfigKey key) {
    schema.put("description", key.doc() + " Must be " + key.allowed() + ".");
    switch (key.type()) {
      case BOOLEAN -> {
        var values = schema.putArray("enum").add(true).add(false);
        List.of("true", "false", "True", "False", "TRUE", "FALSE", "").forEach(values::add);
      }
      case LOG_LEVEL -> anyCase(schema, "error", "warn", "info", "debug", "trace");
      case NLB_TARGET -> anyCase(schema, "ip", "instance");
      case LOG_FORMAT -> oneOf(schema, "text", "json", "");
      case SIGNING_SCOPE -> oneOf(schema, "Cluster", "Namespaces", "");
      case THREADS -> number(schema, 1, 256);
      case PORT -> number(schema, 0, 65535);
      case DEADLINE -> text(schema, duration(Duration.ofSeconds(1), Duration.ofHours(168)));
      case TIMEOUT -> text(schema, duration(Duration.ofMillis(10), Duration.ofSeconds(300)));
      case DELAY -> text(schema, duration(Duration.ZERO, Duration.ofSeconds(300)));
      case FILE -> text(schema, "/.*");
      case URL -> text(schema, "https?://[^?#@\\s]+");
      case URL_TEMPLATE -> text(schema, "https?://[^?#@\\s]*\\{(podIP|name)\\}[^?#@\\s]*");
      case IMAGE -> text(schema, "[A-Za-z0-9][A-Za-z0-9._/:@-]*").put("maxLength", 512);
      case CPU -> quantity(schema, "m?");
      case BYTES -> quantity(schema, "([kMGTPE]|[KMGTPE]i)?");
      case SUBDOMAIN -> name(schema, LABEL + "(\\." + LABEL + ")*").put("maxLength", 253);
      case LABEL_VALUE -> name(schema, LABEL_VALUE);
      case QUALIFIED_NAME -> name(schema, "(" + LABEL + "(\\." + LABEL + ")*/)?" + LABEL_VALUE);
      case WORD -> name(schema, "[!-~]+").put("maxLength", 1024);
      case SHARD, NAMESPACES, SERVICE_ACCOUNT ->
          throw new IllegalArgumentException("the chart sets settings of the type " + key.type());
    }
  }

  private static void oneOf(ObjectNode schema, String... values) {
    var all = schema.putArray("enum");
    Stream.of(values).forEach(all::add);
  }

  private static void anyCase(ObjectNode schema, String... values) {
    Stream<String> upper = Stream.of(values).map(value -> value.toUpperCase(Locale.ROOT));
    oneOf(
        schema,
        Stream.concat(Stream.concat(Stream.of(values), upper), Stream.of(""))
            .toArray(String[]::new));
  }

  private static ObjectNode text(ObjectNode schema, String pattern) {
    return schema.put("type", "string").put("pattern", "^(" + pattern + ")?$");
  }

  /** YAML reads a name of digits as a number. */
  private static ObjectNode name(ObjectNode schema, String pattern) {
    text(schema, pattern).putArray("type").add("string").add("integer");
    return schema;
  }

  private static void number(ObjectNode schema, long min, long max) {
    text(schema, numbers(min, max)).put("minimum", min).put("maximum", max);
    schema.putArray("type").add("integer").add("string");
  }

  /** A quantity above zero. */
  private static void quantity(ObjectNode schema, String suffix) {
    String positive = "0*[1-9][0-9]*(\\.[0-9]{1,3})?|0+\\.(0{0,2}[1-9][0-9]{0,2})";
    text(schema, "(" + positive + ")" + suffix).put("exclusiveMinimum", 0);
    schema.putArray("type").add("number").add("string");
  }

  private static String duration(Duration min, Duration max) {
    Map<String, Duration> units = new LinkedHashMap<>();
    units.put("ms", Duration.ofMillis(1));
    units.put("s", Duration.ofSeconds(1));
    units.put("m", Duration.ofMinutes(1));
    units.put("h", Duration.ofHours(1));
    List<String> allowed = new ArrayList<>();
    units.forEach(
        (name, unit) -> {
          long from = Math.ceilDiv(min.toMillis(), unit.toMillis());
          long to = max.dividedBy(unit);
          if (from <= to) {
            allowed.add("(" + numbers(from, to) + ")" + name);
          }
        });
    return String.join("|", allowed);
  }

  /** An expression for the numbers of a range, in blocks that share all but their last digits. */
  static String numbers(long min, long max) {
    List<String> blocks = new ArrayList<>();
    long next = min;
    if (next == 0) {
      blocks.add("0");
      next = 1;
    }
    while (next <= max) {
      long size = 1;
      int digits = 0;
      while (next % (size * 10) == 0 && next + size * 10 - 1 <= max) {
        size *= 10;
        digits++;
      }
      long first = next / size % 10;
      long last = Math.min(9, first + (max - next + 1) / size - 1);
      String before = next / size < 10 ? "" : String.valueOf(next / size / 10);
      String one = first == last ? String.valueOf(first) : "[" + first + "-" + last + "]";
      String others = digits > 1 ? "[0-9]{" + digits + "}" : "[0-9]".repeat(digits);
      blocks.add(before + one + others);
      next += (last - first + 1) * size;
    }
    return String.join("|", blocks);
  }
}
