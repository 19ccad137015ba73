package io.sei.operator.api.validation;

import io.sei.operator.base.Unreadable;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A rule that a field breaks.
 *
 * @param path the field, such as {@code spec.peers[0].static.addresses}
 * @param message what the rule demands
 */
public record FieldError(String path, String message) {

  /** A field that could not be read, which no rule lets be. */
  public static FieldError of(Unreadable.Field field) {
    return new FieldError(field.path(), field.problem());
  }

  /** Several errors for a human, in one line. */
  public static String joined(List<FieldError> errors) {
    return errors.stream().map(FieldError::toString).collect(Collectors.joining("; "));
  }

  /** The error for a human, such as {@code spec.image: must not be empty}. */
  @Override
  public String toString() {
    return path + ": " + message;
  }
}
