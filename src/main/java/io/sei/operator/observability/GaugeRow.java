package io.sei.operator.observability;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.ConditionType;
import io.sei.operator.api.v1alpha1.Reason;
import io.sei.operator.api.v1alpha1.SeiNode;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A gauge of the objects of a kind, computed from the caches at each scrape.
 *
 * @param help description that a scrape shows
 * @param series what there is of it for an object that has a status
 */
public record GaugeRow<T>(String name, String help, Function<T, List<Series>> series) {

  /**
   * One value of an object.
   *
   * @param labels names and values of labels beside the object's namespace and name
   */
  public record Series(double value, List<String> labels) {

    /** A value without more labels. */
    public static Series of(double value) {
      return new Series(value, List.of());
    }

    /** 1, with a label. */
    public static Series labelled(String label, String value) {
      return new Series(1, List.of(label, value));
    }
  }

  /** A gauge of one value, absent where there is none. */
  public static <T> GaugeRow<T> value(
      String name, String help, Function<T, Optional<? extends Number>> value) {
    return new GaugeRow<>(
        name,
        help,
        object ->
            value.apply(object).map(number -> Series.of(number.doubleValue())).stream().toList());
  }

  /** 1 while a condition of a node is True, 0 otherwise. */
  public static GaugeRow<SeiNode> whileTrue(String name, String help, ConditionType type) {
    return flag(name, help, type, Condition::isTrue);
  }

  /** 1 while a condition of a node is for this reason, 0 otherwise. */
  public static GaugeRow<SeiNode> whileFor(
      String name, String help, ConditionType type, Reason reason) {
    return flag(name, help, type, condition -> condition.isFor(reason));
  }

  /** 1 for the reason that a condition of a node is False for; absent while it is not. */
  public static GaugeRow<SeiNode> reasonWhileFalse(String name, String help, ConditionType type) {
    return new GaugeRow<>(
        name,
        help,
        node ->
            node
                .getStatus()
                .condition(type)
                .filter(condition -> condition.status() == ConditionStatus.FALSE)
                .map(condition -> Series.labelled("reason", condition.reason()))
                .stream()
                .toList());
  }

  private static GaugeRow<SeiNode> flag(
      String name, String help, ConditionType type, Function<Condition, Boolean> set) {
    return value(
        name,
        help,
        node -> Optional.of(node.getStatus().condition(type).map(set).orElse(false) ? 1 : 0));
  }
}
