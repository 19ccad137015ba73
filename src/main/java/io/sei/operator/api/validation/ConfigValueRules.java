package io.sei.operator.api.validation;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.api.v1alpha1.ConfigValue;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;

/** What a value for a TOML file must not be, which no schema can say of arbitrary JSON. */
final class ConfigValueRules {

  private final List<FieldError> errors = new ArrayList<>();

  private ConfigValueRules() {}

  /** Every broken rule. */
  static List<FieldError> validate(List<ConfigValue> values) {
    var rules = new ConfigValueRules();
    for (int i = 0; values != null && i < values.size(); i++) {
      ConfigValue entry = values.get(i);
      rules.check("spec.configValues[%d].value".formatted(i), entry == null ? null : entry.value());
    }
    return rules.errors;
  }

  private void check(String path, JsonNode value) {
    if (value == null || value.isNull()) {
      errors.add(new FieldError(path, "must not be null: TOML has none"));
    } else if (value.isNumber() && !isExact(value)) {
      errors.add(
          new FieldError(
              path, "must be a number that a float64 has exactly, since sidecars read it as one"));
    } else if (value.isObject()) {
      value.properties().forEach(it -> check(path + "." + it.getKey(), it.getValue()));
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
