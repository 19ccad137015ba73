package io.sei.operator.testkit;

/**
 * How a container exits.
 *
 * @param exitCode its exit code
 * @param log the end of its log
 */
record Crash(int exitCode, String log) {
  /** A Go panic: exit code 2, and a stack after the message. */
  static Crash panic(String message) {
    return new Crash(2, "panic: " + message + "\n\ngoroutine 1 [running]:\nmain.main()");
  }
}
