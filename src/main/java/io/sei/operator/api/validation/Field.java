package io.sei.operator.api.validation;

import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** A place in a resource; the checks of one field write what they find to a common list. */
record Field(String path, List<FieldError> errors) {

  Field child(String name) {
    return new Field(path + "." + name, errors);
  }

  private Field item(Object key) {
    return new Field(path + "[" + key + "]", errors);
  }

  void reject(String message) {
    errors.add(new FieldError(path, message));
  }

  void rejectIf(boolean broken, String message) {
    if (broken) {
      reject(message);
    }
  }

  void mustBeSet(Object value) {
    rejectIf(value == null, "must be set");
  }

  void mustNotBeEmpty(String value) {
    rejectIf(value == null || value.isEmpty(), "must not be empty");
  }

  void mustNotBeEmpty(Map<?, ?> value) {
    rejectIf(value == null || value.isEmpty(), "must not be empty");
  }

  void mustNotBeEmpty(List<?> value) {
    rejectIf(value == null || value.isEmpty(), "must not be empty");
  }

  /** The schema counts code points, as the API server does. */
  void mustNotBeLongerThan(int max, String value) {
    rejectIf(
        value != null && value.codePointCount(0, value.length()) > max,
        "must be at most " + max + " characters");
  }

  /** Checks every item that is there; a null item is an error of its own. */
  <T> void each(List<T> values, BiConsumer<Field, T> check) {
    if (values == null) {
      return;
    }
    for (int i = 0; i < values.size(); i++) {
      item(i).mustBeSet(values.get(i));
      item(i).ifSet(values.get(i), check);
    }
  }

  <T> void ifSet(T value, BiConsumer<Field, T> check) {
    if (value != null) {
      check.accept(this, value);
    }
  }
}
