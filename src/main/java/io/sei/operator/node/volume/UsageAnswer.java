package io.sei.operator.node.volume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sei.operator.base.Json;
import io.sei.operator.base.UntrustedText;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * PURE: what a Prometheus is asked, and what its answer means. One query asks for all claims. Where
 * a claim has several series, since Prometheus is doubled or knows several clusters, the one with
 * the most room counts, and {@link VolumeUsage#isOf} refuses another size.
 *
 * <p>Metrics and labels are the kubelet's ({@code kubelet_volume_stats_*}), as {@code
 * prometheus-rules.yaml} has them.
 */
final class UsageAnswer {

  /** Statistic of each claim, named by the label that selects it. */
  private enum Statistic {
    AVAILABLE("max by (%s) (kubelet_volume_stats_available_bytes{%s})"),
    CAPACITY("max by (%s) (kubelet_volume_stats_capacity_bytes{%s})"),
    READ_AT("min by (%s) (timestamp(kubelet_volume_stats_available_bytes{%s}))"),
    // What is used does not change when the volume grows.
    PACE("max by (%s) (deriv(kubelet_volume_stats_used_bytes{%s}[6h]))");

    private final String expression;

    Statistic(String expression) {
      this.expression = expression;
    }
  }

  private static final String OF = "of";
  private static final String NAMESPACE = "namespace";
  private static final String CLAIM = "persistentvolumeclaim";

  /** Age of the oldest sample in an answer of Prometheus, by default five minutes. */
  private static final Duration MAX_AGE = Duration.ofMinutes(6);

  private static final ObjectMapper JSON = Json.mapper();

  private UsageAnswer() {}

  /**
   * The query.
   *
   * @param namespaces of the claims; empty asks for all
   * @param prefix how the names of claims begin
   */
  static String query(Set<String> namespaces, String prefix) {
    String claims = "%s=~\"%s.+\"".formatted(CLAIM, prefix);
    String selector =
        namespaces.isEmpty()
            ? claims
            : claims + ",%s=~\"%s\"".formatted(NAMESPACE, String.join("|", namespaces));
    return Stream.of(Statistic.values())
        .map(
            statistic ->
                "label_replace(%s, \"%s\", \"%s\", \"\", \"\")"
                    .formatted(
                        statistic.expression.formatted(NAMESPACE + ", " + CLAIM, selector),
                        OF,
                        statistic.name()))
        .collect(Collectors.joining(" or "));
  }

  /**
   * Returns the usage of claims; those with impossible or old numbers are left out.
   *
   * @throws IllegalArgumentException with what is wrong if it is not the answer to the query
   */
  static Map<ClaimName, VolumeUsage> of(byte[] body) {
    JsonNode answer = parse(body);
    if (!answer.path("status").asText().equals("success")) {
      throw new IllegalArgumentException(
          "it returned an error: "
              + UntrustedText.clean(answer.path("error").asText("no reason given")));
    }
    JsonNode result = answer.at("/data/result");
    if (!result.isArray() || !answer.at("/data/resultType").asText().equals("vector")) {
      throw new IllegalArgumentException("it did not return a vector");
    }
    Map<ClaimName, Map<Statistic, Double>> read = new HashMap<>();
    result.forEach(series -> note(series, read));
    return read.entrySet().stream()
        .flatMap(
            entry ->
                usage(entry.getValue()).map(usage -> Map.entry(entry.getKey(), usage)).stream())
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static void note(JsonNode series, Map<ClaimName, Map<Statistic, Double>> read) {
    JsonNode labels = series.path("metric");
    var claim = new ClaimName(labels.path(NAMESPACE).asText(), labels.path(CLAIM).asText());
    String of = labels.path(OF).asText();
    Stream.of(Statistic.values())
        .filter(statistic -> statistic.name().equals(of))
        .forEach(
            statistic -> {
              double value = number(series.at("/value/1"));
              double told =
                  statistic == Statistic.READ_AT ? number(series.at("/value/0")) - value : value;
              // Two of one kind are not the answer to the query.
              read.computeIfAbsent(claim, name -> new EnumMap<>(Statistic.class))
                  .merge(statistic, told, (one, other) -> Double.NaN);
            });
  }

  private static Optional<VolumeUsage> usage(Map<Statistic, Double> read) {
    double capacity = read.getOrDefault(Statistic.CAPACITY, Double.NaN);
    double available = read.getOrDefault(Statistic.AVAILABLE, Double.NaN);
    double age = read.getOrDefault(Statistic.READ_AT, Double.NaN);
    boolean isSound =
        Double.isFinite(capacity)
            && capacity > 0
            && available >= 0
            && available <= capacity
            && age >= 0
            && age <= MAX_AGE.toSeconds();
    return isSound
        ? Optional.of(
            new VolumeUsage(
                capacity,
                available,
                Optional.ofNullable(read.get(Statistic.PACE)).filter(Double::isFinite)))
        : Optional.empty();
  }

  private static double number(JsonNode node) {
    try {
      return Double.parseDouble(node.asText("NaN"));
    } catch (NumberFormatException e) {
      // Such as +Inf, which is of no use either.
      return Double.NaN;
    }
  }

  private static JsonNode parse(byte[] body) {
    try {
      JsonNode tree = JSON.readTree(body);
      if (tree != null && tree.isObject()) {
        return tree;
      }
    } catch (IOException e) {
      throw new IllegalArgumentException("it did not return JSON", e);
    }
    throw new IllegalArgumentException("it did not return a JSON object");
  }
}
