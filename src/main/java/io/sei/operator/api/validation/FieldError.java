package io.sei.operator.api.validation;

/**
 * A rule that a field breaks.
 *
 * @param path the field, such as {@code spec.peers[0].static.addresses}
 * @param message what the rule demands
 */
public record FieldError(String path, String message) {

  /** The error for a human, such as {@code spec.image: must not be empty}. */
  @Override
  public String toString() {
    return path + ": " + message;
  }
}
