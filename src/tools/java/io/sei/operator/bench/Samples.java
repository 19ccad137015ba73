package io.sei.operator.bench;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** Repeated measurements of one thing. */
final class Samples {

  private final List<Double> values;

  Samples() {
    this(List.of());
  }

  @JsonCreator
  private Samples(List<Double> values) {
    this.values = new ArrayList<>(values);
  }

  @JsonValue
  List<Double> values() {
    return values;
  }

  void add(double value) {
    values.add(value);
  }

  int count() {
    return values.size();
  }

  double median() {
    List<Double> sorted = values.stream().sorted().toList();
    return (sorted.get((sorted.size() - 1) / 2) + sorted.get(sorted.size() / 2)) / 2;
  }

  double min() {
    return Collections.min(values);
  }

  double max() {
    return Collections.max(values);
  }

  /** The median, and the spread if there is one. */
  @Override
  public String toString() {
    return min() == max()
        ? number(median())
        : number(median()) + " (" + number(min()) + " to " + number(max()) + ")";
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%.0f", value)
        : String.format(Locale.ROOT, value < 100 ? "%.2f" : "%.0f", value);
  }
}
