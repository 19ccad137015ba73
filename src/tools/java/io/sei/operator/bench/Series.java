package io.sei.operator.bench;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Samples by name and number of nodes. */
final class Series {

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private final Map<String, SortedMap<Integer, Samples>> rows;

  Series() {
    this(new LinkedHashMap<>());
  }

  private Series(Map<String, SortedMap<Integer, Samples>> rows) {
    this.rows = rows;
  }

  /** Reads what {@link #write} wrote. */
  static Series read(Path file) throws IOException {
    return new Series(
        JSON.readValue(
            file.toFile(),
            new TypeReference<LinkedHashMap<String, SortedMap<Integer, Samples>>>() {}));
  }

  /** Writes all samples as JSON, by name and number of nodes. */
  void write(Path file) throws IOException {
    Files.writeString(file, JSON.writeValueAsString(rows) + "\n");
  }

  void add(String name, int nodes, double value) {
    rows.computeIfAbsent(name, key -> new TreeMap<>())
        .computeIfAbsent(nodes, key -> new Samples())
        .add(value);
  }

  /** Names of everything measured, in the order in which it was measured first. */
  Set<String> names() {
    return rows.keySet();
  }

  /** Samples of one thing by number of nodes. */
  SortedMap<Integer, Samples> get(String name) {
    return rows.get(name);
  }

  /** Prints all rows as Markdown, a column for each number of nodes. */
  void print(PrintStream out) {
    var sizes = new TreeSet<Integer>();
    rows.values().forEach(row -> sizes.addAll(row.keySet()));
    out.println(
        sizes.stream()
            .map(size -> size + " nodes")
            .collect(Collectors.joining(" | ", "| what | ", " |")));
    out.println("|---" + "|---".repeat(sizes.size()) + "|");
    rows.forEach(
        (name, row) ->
            out.println(
                sizes.stream()
                    .map(size -> row.containsKey(size) ? row.get(size).toString() : "")
                    .collect(Collectors.joining(" | ", "| " + name + " | ", " |"))));
  }
}
