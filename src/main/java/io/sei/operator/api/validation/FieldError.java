package io.sei.operator.api.validation;

import io.sei.operator.base.Unreadable;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Validation error of one field.
 *
 * @param path the field, such as {@code spec.peers[0].static.addresses}
 * @param message the problem or the requirement, to follow the path and a colon
 */
public record FieldError(String path, String message) {

  /** Returns the error of a field that could not be read, or was too large to keep. */
  public static FieldError of(Unreadable.Field field) {
    return new FieldError(field.path(), field.problem());
  }

  /** Joins errors into one line for the message of a condition. */
  public static String joined(List<FieldError> errors) {
    return errors.stream().map(FieldError::toString).collect(Collectors.joining("; "));
  }

  /** The error for a human, such as {@code spec.image: must not be empty}. */
  @Override
  public String toString() {
    return path + ": " + message;
  }
}
