package io.sei.operator.testkit;

import com.sun.net.httpserver.HttpExchange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Faults of one simulated sidecar, or of all of them. Every call takes effect on the next request
 * or task run; {@link #clear()} removes all of them.
 */
public final class SidecarFaults {
  private static final int FOR_EVER = -1;

  private record Failure(int timesLeft, String error) {}

  private final Runnable changed;
  private final Map<String, Failure> failing = new HashMap<>();
  private final Map<String, String> rejected = new HashMap<>();
  private final Set<String> held = new HashSet<>();
  private boolean down;
  private boolean hangs;
  private boolean hangsTasks;
  private SidecarAnswer answer;
  private Duration delay = Duration.ZERO;
  private final List<HttpExchange> unanswered = new ArrayList<>();
  private final Set<String> silentHosts = new HashSet<>();
  private boolean forbidden;
  private boolean busyStore;
  private boolean failsInterrupted;

  SidecarFaults(Runnable changed) {
    this.changed = changed;
  }

  /** Drops every connection without an answer; the process and its ready flag live on. */
  public synchronized SidecarFaults down() {
    down = true;
    return this;
  }

  /**
   * Accepts requests about tasks and answers none, as where its store does not answer; {@link
   * #clear()} drops their connections.
   */
  public synchronized SidecarFaults hangTasks() {
    hangsTasks = true;
    return this;
  }

  /** Accepts requests and answers none, as a sidecar on a machine that is cut off. */
  public synchronized SidecarFaults hang() {
    hangs = true;
    return this;
  }

  /** Answers every request with this JSON, whatever it asks for. */
  public synchronized SidecarFaults answer(int status, String json) {
    answer = SidecarAnswer.of(status, "application/json", json);
    return this;
  }

  synchronized Optional<SidecarAnswer> answer() {
    return Optional.ofNullable(answer);
  }

  /** Answers each request this much later. */
  public synchronized SidecarFaults delay(Duration time) {
    delay = time;
    return this;
  }

  /** Returns the number of requests that wait for an answer, or for {@link #clear()}. */
  public synchronized int unanswered() {
    return unanswered.size();
  }

  /** Keeps a request without an answer, if that is what the sidecar does. */
  synchronized boolean keeps(HttpExchange request, boolean isAboutTasks) {
    boolean isKept = hangs || (hangsTasks && isAboutTasks);
    if (isKept) {
      unanswered.add(request);
    }
    return isKept;
  }

  synchronized Duration delay() {
    return delay;
  }

  /** Fails the next {@code times} runs of a task type with this error text. */
  public synchronized SidecarFaults fail(String type, int times, String error) {
    failing.put(type, new Failure(times, error));
    return this;
  }

  /** Fails every run of a task type with this error text. */
  public synchronized SidecarFaults failAlways(String type, String error) {
    failing.put(type, new Failure(FOR_EVER, error));
    return this;
  }

  /** Keeps tasks of this type running until {@link #release(String)}. */
  public synchronized SidecarFaults hold(String type) {
    held.add(type);
    return this;
  }

  /** Lets held tasks of this type end, the ones that run now included. */
  public SidecarFaults release(String type) {
    synchronized (this) {
      held.remove(type);
    }
    changed.run();
    return this;
  }

  /** Answers 400 with this error text when a task of this type is submitted. */
  public synchronized SidecarFaults reject(String type, String error) {
    rejected.put(type, error);
    return this;
  }

  /**
   * Locks the store: submissions are answered 400, deletions 404 or, from 0.0.66 on, 503, as seen
   * on a locked database. The real one says so after five seconds.
   */
  public synchronized SidecarFaults busyStore() {
    busyStore = true;
    return this;
  }

  /**
   * Records the tasks that run when the process ends as failed, which versions up to 0.0.60 do to
   * some of them.
   */
  public synchronized SidecarFaults failInterrupted() {
    failsInterrupted = true;
    return this;
  }

  /** Silences the RPC port of a host that state sync asks. */
  public synchronized SidecarFaults silence(String host) {
    silentHosts.add(host);
    return this;
  }

  /** Answers 403, as the proxy does, to every request but the probe and metrics paths. */
  public synchronized SidecarFaults forbidden() {
    forbidden = true;
    return this;
  }

  /** Removes every fault, and lets held tasks end. */
  public SidecarFaults clear() {
    synchronized (this) {
      failing.clear();
      rejected.clear();
      held.clear();
      silentHosts.clear();
      busyStore = false;
      failsInterrupted = false;
      down = false;
      forbidden = false;
      hangs = false;
      hangsTasks = false;
      answer = null;
      delay = Duration.ZERO;
      unanswered.forEach(HttpExchange::close);
      unanswered.clear();
    }
    changed.run();
    return this;
  }

  synchronized boolean isDown() {
    return down;
  }

  synchronized boolean hasBusyStore() {
    return busyStore;
  }

  synchronized boolean failsInterrupted() {
    return failsInterrupted;
  }

  synchronized boolean isSilent(String host) {
    return silentHosts.contains(host);
  }

  synchronized boolean holds(String type) {
    return held.contains(type);
  }

  synchronized Optional<String> rejection(String type) {
    return Optional.ofNullable(rejected.get(type));
  }

  synchronized boolean isForbidden() {
    return forbidden;
  }

  /** Takes one failure of this type from the stock, if there is one. */
  synchronized Optional<String> takeFailure(String type) {
    Failure failure = failing.get(type);
    if (failure == null) {
      return Optional.empty();
    }
    if (failure.timesLeft() != FOR_EVER) {
      failing.compute(
          type, (key, f) -> f.timesLeft() <= 1 ? null : new Failure(f.timesLeft() - 1, f.error()));
    }
    return Optional.of(failure.error());
  }
}
