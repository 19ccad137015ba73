package io.sei.operator.testkit;

import java.time.Duration;

/**
 * Something that goes wrong with a pod, as a kubelet would report it. Faults of containers and of
 * readiness act at once on running pods; {@link ImagePull}, {@link Unschedulable} and {@link
 * SlowStart} act on pods that have not started, as they do in a cluster.
 *
 * <p>Termination messages are shown only for containers with {@code terminationMessagePolicy:
 * FallbackToLogsOnError}: seid panics to its log and writes no message file, so a real kubelet has
 * nothing to show without that policy.
 */
public sealed interface PodFault {
  /** {@code seid} runs and never becomes ready. */
  PodFault NEVER_READY = new NeverReady();

  /**
   * {@code seid} runs at height 0 and says that it is not behind: it is Ready, unless its startup
   * probe asks for a block.
   */
  PodFault NO_BLOCK = new NoBlock();

  /** {@code seid} runs and does not listen: it replays, or migrates its data. */
  PodFault SLOW_SEID = new SlowSeid();

  /** The image cannot be pulled. */
  PodFault IMAGE_PULL = new ImagePull();

  /** {@code seid} exits with code 1, again and again. */
  PodFault CRASH_LOOP = new CrashLoop(1);

  /** {@code seid} has stopped at the height of upgrade v2. */
  PodFault HALTED_AT_UPGRADE = new HaltedAtUpgrade("v2", 12345);

  /** {@code seid} has the binary of upgrade v2 before its height. */
  PodFault IMAGE_TOO_EARLY = new ImageTooEarly("v2");

  /** Leaves the pod without a node. */
  PodFault UNSCHEDULABLE = new Unschedulable();

  /** Once asked to, the pod never finishes terminating until the fault is cleared. */
  PodFault HANGING_TERMINATION = new HangingTermination();

  /** The sidecar container exits with code 1, again and again; its HTTP API is unreachable. */
  PodFault SIDECAR_CRASH_LOOP = new SidecarCrashLoop();

  /** The machine has no room now for the resources that the pod is given while it runs. */
  PodFault RESIZE_DEFERRED =
      new ResizePending(
          "Deferred", "Node didn't have enough resource: cpu, requested: 64000, used: 15000");

  /** The machine never has room for them. */
  PodFault RESIZE_INFEASIBLE =
      new ResizePending(
          "Infeasible", "Node didn't have enough capacity: cpu, requested: 64000, capacity: 16000");

  /** See {@link #NEVER_READY}. */
  record NeverReady() implements PodFault {}

  /** See {@link #NO_BLOCK}. */
  record NoBlock() implements PodFault {}

  /** See {@link #SLOW_SEID}. */
  record SlowSeid() implements PodFault {}

  /**
   * See {@link #IMAGE_PULL}. Injected for a pod it hits the image of {@code seid}: the first
   * container with that image waits, which is an init container where there is one.
   */
  record ImagePull() implements PodFault {}

  /** An image answers this when it is inspected, and ends with the code; null: it hangs. */
  record Answers(String words, int exitCode) implements PodFault {}

  /** {@code seid} exits with this code, again and again. */
  record CrashLoop(int exitCode) implements PodFault {}

  /** {@code seid} panics because the chain waits for an upgrade at this height. */
  record HaltedAtUpgrade(String upgradeName, long height) implements PodFault {}

  /** {@code seid} panics because the chain has not reached the height of this upgrade. */
  record ImageTooEarly(String upgradeName) implements PodFault {}

  /**
   * {@code seid} halts at this height because its configuration asks for it, and ends with the code
   * of the signal that it sends itself.
   */
  record HaltedByConfiguration(long height) implements PodFault {}

  /** {@code seid} dies like this, again and again. */
  record Dies(int exit, String log) implements PodFault {}

  /** {@code seid} panics with this message at each start. */
  record Panics(String message) implements PodFault {}

  /** See {@link #UNSCHEDULABLE}. */
  record Unschedulable() implements PodFault {}

  /** See {@link #HANGING_TERMINATION}. */
  record HangingTermination() implements PodFault {}

  /** The containers start this much later than they would. */
  record SlowStart(Duration extra) implements PodFault {}

  /** See {@link #SIDECAR_CRASH_LOOP}. */
  record SidecarCrashLoop() implements PodFault {}

  /**
   * The pod keeps the resources that it has, and its condition {@code PodResizePending} says why,
   * as <a
   * href="https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/">
   * Kubernetes documents it</a>.
   */
  record ResizePending(String reason, String message) implements PodFault {}
}
