package io.sei.operator.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Samples by name, printed as median and spread. */
final class Table {

  private final Map<String, List<Double>> rows = new LinkedHashMap<>();

  /** Adds a sample. */
  synchronized void add(String name, double value) {
    rows.computeIfAbsent(name, key -> new ArrayList<>()).add(value);
  }

  /** The median of a row so far. */
  synchronized double median(String name) {
    double[] sorted = rows.get(name).stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }

  /** Prints all rows as Markdown. */
  synchronized void print(PrintStream out) {
    out.println("| what | median | min | max | runs |");
    out.println("|---|---|---|---|---|");
    rows.forEach(
        (name, values) -> {
          double[] all = values.stream().mapToDouble(Double::doubleValue).toArray();
          out.printf(
              "| %s | %.2f | %.2f | %.2f | %d |%n",
              name,
              median(name),
              Arrays.stream(all).min().orElseThrow(),
              Arrays.stream(all).max().orElseThrow(),
              all.length);
        });
  }
}
