package io.sei.operator.bench;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.Map;

/** Samples by name. */
final class Table {

  private final Map<String, Samples> rows = new LinkedHashMap<>();

  void add(String name, double value) {
    rows.computeIfAbsent(name, key -> new Samples()).add(value);
  }

  /** The least of each row with this in its name. */
  RolloutCounts least(String part) {
    var least = new LinkedHashMap<String, Double>();
    rows.forEach(
        (name, samples) -> {
          if (name.contains(part)) {
            least.put(name, samples.min());
          }
        });
    return new RolloutCounts(least);
  }

  /** Prints all rows as Markdown. */
  void print(PrintStream out) {
    out.println("| what | median (min to max) | runs |");
    out.println("|---|---|---|");
    rows.forEach(
        (name, samples) -> out.printf("| %s | %s | %d |%n", name, samples, samples.count()));
  }
}
