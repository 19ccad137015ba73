package io.sei.operator.testkit;

/**
 * Exit of a container.
 *
 * @param exitCode its exit code
 * @param log the end of its log
 */
record Crash(int exitCode, String log) {
  /** A command of cobra that failed: the error, and then its usage. */
  static Crash error(int exitCode) {
    return new Crash(
        exitCode,
        """
        Error: error starting node: cannot load state: EOF
        Usage:
          seid start [flags]

        Flags:
              --trace-store string   Enable KVStore tracing to an output file
        """);
  }

  /** A seid that sends itself SIGTERM at its halt-height, before it listens for one. */
  static Crash configuredHalt(long height) {
    return new Crash(
        143,
        "time=2026-11-25T09:00:00Z level=INFO msg=\"halting node per configuration\""
            + " logger=cosmos/baseapp height="
            + height);
  }

  /** A Go panic: exit code 2, and a stack after the message. */
  static Crash panic(String message) {
    return new Crash(2, "panic: " + message + "\n\ngoroutine 1 [running]:\nmain.main()");
  }
}
