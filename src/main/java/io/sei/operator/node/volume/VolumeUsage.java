package io.sei.operator.node.volume;

import java.time.Duration;
import java.util.Optional;

/**
 * Usage of a volume's file system, by the kubelet's statistics.
 *
 * @param capacity bytes of the file system, more than 0
 * @param available bytes that seid can still write, from 0 to capacity; less than what is free
 *     where a part is reserved, as ext4 does
 * @param pace bytes by which it fills in a second; empty if that is not known
 */
public record VolumeUsage(double capacity, double available, Optional<Double> pace) {

  /** Largest part of a volume that is lost to the file system's own data and to rounding. */
  private static final double LEAST = 0.9;

  private static final double MOST = 1.01;

  private static final Duration FAR = Duration.ofDays(3650);

  /** Returns the used fraction, from 0 to 1; space that is not available counts as used. */
  public double used() {
    return 1 - available / capacity;
  }

  /**
   * Returns whether it can be of a volume of this size. It is not right after a growth, where
   * clusters have claims of one name, or where a volume has no file system of its own.
   *
   * @param volume in bytes
   */
  public boolean isOf(double volume) {
    return capacity >= LEAST * volume && capacity <= MOST * volume;
  }

  /**
   * Returns the usage in a volume of this size, if it is larger: the volume may have just grown.
   *
   * @param volume in bytes
   */
  public VolumeUsage in(double volume) {
    double more = Math.max(0, volume - capacity);
    return new VolumeUsage(capacity + more, available + more, pace);
  }

  /**
   * Returns the time until the volume is full at its pace; empty if it does not fill within ten
   * years.
   */
  public Optional<Duration> untilFull() {
    return pace.filter(value -> value > 0)
        .map(value -> available / value)
        .filter(seconds -> seconds < FAR.toSeconds())
        .map(seconds -> Duration.ofSeconds(seconds.longValue()));
  }
}
