package io.sei.operator.plan;

/**
 * Traits of a task by which a plan takes it over from another.
 *
 * @param ofSidecar whether the sidecar carries the task out
 * @param writesVolume whether the sidecar writes for it what another task reads
 * @param ends whether the sidecar is done with it in a moment, or after some requests
 * @param reuse what a plan takes over of one that it supersedes, where a task has equal params
 * @param retries how often a failed attempt is repeated before the plan fails
 */
public record Traits(
    boolean ofSidecar, boolean writesVolume, boolean ends, Reuse reuse, int retries) {

  /** A passing hiccup of the sidecar fails no plan. */
  private static final int RETRIES = 5;

  /** Tells which task a plan takes over from the plan that it supersedes. */
  public enum Reuse {
    /** The task is repeated. */
    NONE,
    /** A task that completed. */
    COMPLETED,
    /** A task that runs; a completed one is done again. */
    RUNNING
  }

  /** Traits of a task that the operator carries out alone, again in each plan. */
  public static final Traits OF_OPERATOR = new Traits(false, false, true, Reuse.NONE, 0);

  /** Traits of a task whose result outlives the plan. */
  public static final Traits LASTING = new Traits(false, false, true, Reuse.COMPLETED, 0);

  /** Traits of a task for the sidecar that writes to the volume; also of an unknown type. */
  public static final Traits OF_SIDECAR = new Traits(true, true, true, Reuse.NONE, RETRIES);

  /** Traits of a task for the sidecar that may be cancelled at any time. */
  public static final Traits HARMLESS = new Traits(true, false, true, Reuse.NONE, RETRIES);

  /** Traits of a task for the sidecar that takes hours. */
  public static final Traits LONG = new Traits(true, true, false, Reuse.RUNNING, RETRIES);

  /** Returns these traits with another number of attempts. */
  public Traits retried(int times) {
    return new Traits(ofSidecar, writesVolume, ends, reuse, times);
  }
}
