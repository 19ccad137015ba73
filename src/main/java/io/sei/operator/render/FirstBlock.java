package io.sei.operator.render;

import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;

/**
 * Startup probe of seid: its RPC answers, and it has a block. Only then is its readiness probed,
 * and seid would report that it is ready: it counts as not behind until a peer has sent its height,
 * so a node at height 0 would receive requests that it cannot answer. No other probe asks for the
 * block, as a run keeps the block that it has.
 */
final class FirstBlock {

  // One probe waits for some seconds, as starting a process each second is dear on a busy machine.
  private static final String SCRIPT =
      """
      has_block() (
        exec 3<>/dev/tcp/localhost/%d || exit 1
        printf 'GET /status HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3
        IFS= read -r -t 5 status <&3
        [[ $status == *' 200 '* ]] || exit 1
        IFS= read -r -d '' -t 5 answer <&3
        height='"latest_block_height": *"?[1-9]'
        [[ $answer =~ $height ]]
      ) 2>/dev/null
      for try in {1..8}; do
        has_block && exit 0
        sleep 1
      done
      echo "seid has no block yet, or its RPC is not open"
      exit 1
      """;

  private static final int TIMEOUT_SECONDS = 20;

  // A start may wait for a snapshot of terabytes or replay for hours: these are five days, or more
  // as most probes wait. The probe is there so that readiness begins in time, not to end seid.
  static final int FAILURES = 432_000;

  private FirstBlock() {}

  static Probe probe() {
    return new ProbeBuilder()
        .withNewExec()
        .withCommand("/bin/bash", "-c", SCRIPT.formatted(Ports.RPC))
        .endExec()
        .withPeriodSeconds(1)
        .withTimeoutSeconds(TIMEOUT_SECONDS)
        .withFailureThreshold(FAILURES)
        .build();
  }
}
