package io.sei.operator.testkit;

import java.util.Optional;
import java.util.OptionalLong;

/** The seid of a pod of {@link PodLifecycle}, which has one block for as long as it answers. */
final class SimulatedSeid implements SeidProcess {

  private final Runnable wake;
  private volatile Optional<String> run = Optional.empty();
  private volatile boolean up;
  private volatile boolean terminated;

  /**
   * @param wake has the pod looked at
   */
  SimulatedSeid(Runnable wake) {
    this.wake = wake;
  }

  @Override
  public Optional<String> run() {
    return run;
  }

  @Override
  public OptionalLong height() {
    return up ? OptionalLong.of(1) : OptionalLong.empty();
  }

  @Override
  public void terminate() {
    terminated = run.isPresent();
    wake.run();
  }

  /** Returns whether it has been sent SIGTERM since it was last asked. */
  boolean takeTermination() {
    boolean taken = terminated;
    terminated = false;
    return taken;
  }

  void is(Optional<String> now, boolean answers) {
    run = now;
    up = answers;
  }
}
