package io.sei.operator.bench;

import static java.util.stream.Collectors.toSet;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Costs of rollouts as counts, which depend on the operator more than on the machine.
 *
 * @param rows requests and reconciles of one node's rollout, by what is counted
 */
record RolloutCounts(Map<String, Double> rows) {

  /** The committed counts. */
  static final Path FILE = Path.of("docs", "benchmarks", "rollout-counts.json");

  private static final double TOLERATED = 1.25;

  /**
   * Share of rollouts below which a count is no cost of every rollout, such as that of a step that
   * takes long.
   */
  private static final double SELDOM = 0.25;

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  static RolloutCounts committed() throws IOException {
    return new RolloutCounts(JSON.readValue(Files.readString(FILE), new TypeReference<>() {}));
  }

  /** Commits these, and keeps what was committed of other numbers of nodes. */
  void commit() throws IOException {
    var counts = new LinkedHashMap<>(committed().rows);
    Set<String> measured = rows.keySet().stream().map(RolloutCounts::who).collect(toSet());
    counts.keySet().removeIf(row -> measured.contains(who(row)));
    rows.forEach((row, count) -> counts.put(row, Math.round(count * 10) / 10.0));
    Files.writeString(FILE, JSON.writeValueAsString(counts) + "\n");
  }

  private static String who(String row) {
    return row.substring(0, row.indexOf(Rollouts.EACH));
  }

  /** A line for each count that is more than a quarter above the committed one. */
  List<String> above(RolloutCounts committed) {
    return rows.entrySet().stream()
        .filter(row -> row.getValue() > limit(committed.get(row.getKey())))
        .map(
            row ->
                "%s: %.2f, committed %.2f"
                    .formatted(row.getKey(), row.getValue(), committed.get(row.getKey())))
        .toList();
  }

  private static double limit(double committed) {
    return Math.max(committed * TOLERATED, committed + SELDOM);
  }

  private double get(String row) {
    return rows.getOrDefault(row, 0.0);
  }
}
