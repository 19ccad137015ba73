package io.sei.operator.testkit;

import java.util.Optional;
import java.util.OptionalLong;

/** The seid of a sidecar's pod, as the sidecar sees it in the processes that they share. */
interface SeidProcess {

  /** The seid of a sidecar that is alone. */
  SeidProcess NONE =
      new SeidProcess() {
        @Override
        public Optional<String> run() {
          return Optional.empty();
        }

        @Override
        public OptionalLong height() {
          return OptionalLong.empty();
        }

        @Override
        public void terminate() {
          // There is nothing to end.
        }
      };

  /**
   * Returns the id of its run; empty while there is none, which includes that its container waits
   * for the sidecar.
   */
  Optional<String> run();

  /** The height that its RPC tells; empty while it does not answer. */
  OptionalLong height();

  /** Returns whether its RPC answers. */
  default boolean isUp() {
    return height().isPresent();
  }

  /** Sends it SIGTERM. */
  void terminate();
}
