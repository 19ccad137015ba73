package io.sei.operator.testkit;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * One run of {@code restart-seid}: SIGTERM, never SIGKILL, and then the wait for a seid that
 * answers. The kubelet starts it again, and mark-ready need not be repeated.
 */
final class SeidRestart {

  private static final Duration GRACE = Duration.ofSeconds(90);

  private final SeidProcess seid;
  private final Duration patience;
  private Optional<String> ended;
  private Instant sentAt;
  private Instant awaitedSince;

  /**
   * @param patience how long seid may take until it answers again; 5 minutes in the real one
   */
  SeidRestart(SeidProcess seid, Duration patience) {
    this.seid = seid;
    this.patience = patience;
  }

  /**
   * Continues, and returns whether seid has been restarted.
   *
   * @throws TaskFailure if it does not end, or does not come back
   */
  boolean isDone(Instant now) {
    if (sentAt == null) {
      begin(now);
    }
    if (awaitedSince == null && !hasEnded(now)) {
      return false;
    }
    if (!seid.isUp() && now.isAfter(awaitedSince.plus(patience))) {
      throw new TaskFailure(
          "seid RPC did not come up within " + GoDuration.of(patience) + " after restart");
    }
    return seid.isUp();
  }

  private void begin(Instant now) {
    ended = seid.run();
    if (ended.isEmpty() && seid.isUp()) {
      throw new TaskFailure(
          "seid RPC is serving but its process was not found in /proc: process \"seid\" not found"
              + " in /proc — refusing to report a restart that did not happen");
    }
    sentAt = now;
    seid.terminate();
  }

  private boolean hasEnded(Instant now) {
    if (ended.isPresent() && seid.run().equals(ended)) {
      if (now.isAfter(sentAt.plus(GRACE))) {
        throw new TaskFailure(
            "seid pid %s still alive %s after SIGTERM; leaving it running"
                    .formatted(ended.get(), GoDuration.of(GRACE))
                + " (not force-killing a validator mid-commit)");
      }
      return false;
    }
    awaitedSince = now;
    return true;
  }
}
