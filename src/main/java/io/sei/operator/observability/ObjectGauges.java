package io.sei.operator.observability;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.sei.operator.api.v1alpha1.Condition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The gauges of one scrape; those of objects have the labels namespace and name. */
final class ObjectGauges {

  private final Map<String, GaugeSnapshot.Builder> gauges = new LinkedHashMap<>();

  /**
   * Adds a series.
   *
   * @param labels names and values of more labels
   */
  void add(String gauge, String help, HasMetadata object, double value, String... labels) {
    var named =
        Labels.of(
            "namespace",
            object.getMetadata().getNamespace(),
            "name",
            object.getMetadata().getName());
    add(gauge, help, named.merge(Labels.of(labels)), value);
  }

  /** Adds what a row has for an object. */
  <T extends HasMetadata> void add(GaugeRow<T> row, T object) {
    row.series()
        .apply(object)
        .forEach(
            series ->
                add(
                    row.name(),
                    row.help(),
                    object,
                    series.value(),
                    series.labels().toArray(String[]::new)));
  }

  /** Adds a series of something that is no object. */
  void add(String gauge, String help, Labels labels, double value) {
    gauges
        .computeIfAbsent(gauge, name -> GaugeSnapshot.builder().name(name).help(help))
        .dataPoint(GaugeDataPointSnapshot.builder().value(value).labels(labels).build());
  }

  /** Adds a series of 1 or 0. */
  void add(String gauge, String help, HasMetadata object, boolean set, String... labels) {
    add(gauge, help, object, set ? 1.0 : 0.0, labels);
  }

  /** Adds a series for each phase: 1 for that of the object, 0 for the others. */
  void phases(String gauge, String help, HasMetadata object, Enum<?> current, Enum<?>[] phases) {
    for (Enum<?> phase : phases) {
      add(gauge, help, object, phase == current, "phase", phase.toString());
    }
  }

  /** Adds a series for each condition, with the status it has. */
  void conditions(String gauge, HasMetadata object, List<Condition> conditions) {
    for (Condition condition : conditions == null ? List.<Condition>of() : conditions) {
      String status = condition.status().toString().toLowerCase(Locale.ROOT);
      String help = "1 for the status a condition has";
      add(gauge, help, object, true, "type", condition.type(), "status", status);
    }
  }

  MetricSnapshots build() {
    var all = MetricSnapshots.builder();
    gauges.values().forEach(gauge -> all.metricSnapshot(gauge.build()));
    return all.build();
  }
}
