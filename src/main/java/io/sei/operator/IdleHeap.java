package io.sei.operator;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Has the whole heap collected once a burst of work is over. The serial collector does that by
 * itself only when the heap is as large as it may become, so what a rollout of many nodes left
 * behind would stay resident until then, for days.
 */
final class IdleHeap {

  private static final Duration INTERVAL = Duration.ofMinutes(1);

  /** More than probing the sidecars of a thousand nodes takes. */
  private static final Duration BUSY = INTERVAL.dividedBy(10);

  /** Largest share of the memory in use that may have been added since the last collection. */
  private static final double GROWTH = 0.25;

  private final OperatingSystemMXBean process =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  private final MemoryPoolMXBean oldGeneration;
  private long cpuNanos = process.getProcessCpuTime();

  /** The start is a burst of work. */
  private boolean wasBusy = true;

  private IdleHeap(MemoryPoolMXBean oldGeneration) {
    this.oldGeneration = oldGeneration;
  }

  /**
   * Looks once a minute, until the process ends; never with a collector that does not tell what it
   * left.
   */
  static void watch() {
    oldGeneration()
        .map(IdleHeap::new)
        .ifPresent(
            heap ->
                Executors.newSingleThreadScheduledExecutor(
                        Thread.ofPlatform().daemon().name("idle-heap").factory())
                    .scheduleWithFixedDelay(
                        heap::look, INTERVAL.toSeconds(), INTERVAL.toSeconds(), TimeUnit.SECONDS));
  }

  /** A young generation supports no threshold. */
  private static Optional<MemoryPoolMXBean> oldGeneration() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getType() == MemoryType.HEAP && pool.isUsageThresholdSupported())
        .filter(pool -> pool.getCollectionUsage() != null)
        .findAny();
  }

  private void look() {
    long now = process.getProcessCpuTime();
    Duration worked = Duration.ofNanos(now - cpuNanos);
    cpuNanos = now;
    boolean isBusy = worked.compareTo(BUSY) >= 0;
    long live = oldGeneration.getCollectionUsage().getUsed();
    if (!isBusy && isWorthCollecting(wasBusy, oldGeneration.getUsage().getUsed(), live)) {
      System.gc();
    }
    wasBusy = isBusy;
  }

  /**
   * Returns whether an idle process collects. After a burst of work it always does: the last
   * collection may have been in the middle of that, and counts as live what has ended since.
   *
   * @param wasBusy whether the minute before was busy
   * @param used bytes in use in the old generation
   * @param live bytes in use after it was last collected; 0 if it never was
   */
  static boolean isWorthCollecting(boolean wasBusy, long used, long live) {
    return wasBusy || used > live * (1 + GROWTH);
  }
}
