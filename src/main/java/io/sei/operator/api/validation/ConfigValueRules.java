package io.sei.operator.api.validation;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.api.v1alpha1.ConfigValue;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/** Rules of a value for a TOML file, which no schema can state of arbitrary JSON. */
final class ConfigValueRules {

  /** Levels of arrays and objects within each other; a list of tables has two. */
  private static final int MAX_LEVELS = 4;

  /** Bytes of compact JSON; a value costs a reader twenty times that in memory. */
  private static final int MAX_BYTES = 4096;

  private final List<FieldError> errors = new ArrayList<>();

  private ConfigValueRules() {}

  /** Every broken rule. */
  static List<FieldError> validate(List<ConfigValue> values) {
    var rules = new ConfigValueRules();
    for (int i = 0; values != null && i < values.size(); i++) {
      String path = "spec.configValues[%d].value".formatted(i);
      JsonNode value = values.get(i) == null ? null : values.get(i).value();
      String tooLarge = excess(value);
      if (tooLarge == null) {
        rules.check(path, value);
      } else {
        rules.errors.add(new FieldError(path, tooLarge));
      }
    }
    return rules.errors;
  }

  /**
   * The limit that a value exceeds; null if it exceeds none. Nothing is written of a deep value.
   */
  private static String excess(JsonNode value) {
    if (hasMoreLevels(value, MAX_LEVELS)) {
      return "must have at most %d levels of arrays and objects".formatted(MAX_LEVELS);
    }
    int bytes = value == null ? 0 : value.toString().getBytes(UTF_8).length;
    return bytes > MAX_BYTES
        ? "must have at most %d bytes as JSON, and has %d".formatted(MAX_BYTES, bytes)
        : null;
  }

  private static boolean hasMoreLevels(JsonNode value, int levels) {
    if (value == null || !value.isContainerNode()) {
      return false;
    }
    if (levels == 0) {
      return true;
    }
    for (JsonNode child : value) {
      if (hasMoreLevels(child, levels - 1)) {
        return true;
      }
    }
    return false;
  }

  private void check(String path, JsonNode value) {
    if (value == null || value.isNull()) {
      errors.add(new FieldError(path, "must not be null: TOML has none"));
    } else if (value.isNumber() && !isExact(value)) {
      errors.add(
          new FieldError(
              path, "must be a number that a float64 has exactly, since sidecars read it as one"));
    } else if (value.isObject()) {
      value.properties().forEach(entry -> check(path + "." + entry.getKey(), entry.getValue()));
    } else {
      for (int i = 0; i < value.size(); i++) {
        check(path + "[" + i + "]", value.get(i));
      }
    }
  }

  /** Digits behind the point are rounded wherever they are read, whole numbers need not be. */
  private static boolean isExact(JsonNode number) {
    double read = number.doubleValue();
    return Double.isFinite(read)
        && (!number.isIntegralNumber()
            || new BigDecimal(read).compareTo(number.decimalValue()) == 0);
  }
}
