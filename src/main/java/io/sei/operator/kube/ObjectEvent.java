package io.sei.operator.kube;

/**
 * Something that happened to an object, to be recorded as an Event.
 *
 * @param warning whether the user may have to act
 * @param reason one CamelCase word
 * @param message for people
 */
public record ObjectEvent(boolean warning, String reason, String message) {

  /** A message may be missing. */
  public ObjectEvent {
    message = message == null ? "" : message;
  }

  /** Event that needs no attention. */
  public static ObjectEvent normal(String reason, String message) {
    return new ObjectEvent(false, reason, message);
  }

  /** Event that may need attention. */
  public static ObjectEvent warning(String reason, String message) {
    return new ObjectEvent(true, reason, message);
  }
}
