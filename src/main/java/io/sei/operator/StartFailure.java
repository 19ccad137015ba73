package io.sei.operator;

/** Why the process cannot start; the message is one line that says what to do about it. */
final class StartFailure extends RuntimeException {

  StartFailure(String message) {
    super(message.replaceAll("[\\s\\p{Cntrl}]+", " "));
  }

  /** All that an exception and its causes say, each thing once. */
  static String causes(Throwable e) {
    var text = new StringBuilder();
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      String words =
          cause.getMessage() == null ? cause.getClass().getSimpleName() : cause.getMessage();
      if (text.indexOf(words) < 0) {
        text.append(text.isEmpty() ? "" : ": ").append(words);
      }
    }
    return text.toString();
  }
}
