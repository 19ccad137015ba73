package io.sei.operator.testkit;

import java.util.Optional;

/** The seid of a sidecar's pod, as the sidecar sees it in the processes that they share. */
interface SeidProcess {

  /** Of a sidecar that is alone. */
  SeidProcess NONE =
      new SeidProcess() {
        @Override
        public Optional<String> run() {
          return Optional.empty();
        }

        @Override
        public boolean isUp() {
          return false;
        }

        @Override
        public void terminate() {
          // There is nothing to end.
        }
      };

  /**
   * What tells its run from any other; empty while there is none, which includes that its container
   * waits for the sidecar.
   */
  Optional<String> run();

  /** Whether its RPC answers. */
  boolean isUp();

  /** Sends it SIGTERM. */
  void terminate();
}
