package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The task engine of one node's sidecar. Tasks live on the node's data volume and so outlive the
 * process; the ready flag is process memory and does not.
 */
final class SidecarEngine {
  static final String MARK_READY = "mark-ready";

  /** Uploads snapshots in a loop: such a task ends only by being deleted. */
  static final String SNAPSHOT_UPLOAD = "snapshot-upload";

  private static final int LISTED_TASKS = 100;

  private final List<SidecarFaults> faults;
  private final Function<String, Duration> taskDelay;
  private final ScheduledExecutorService timer;
  private final Runnable readyChanged;
  private final Map<String, SidecarTask> tasks = new LinkedHashMap<>();
  private final Map<String, Integer> executions = new HashMap<>();
  private final Set<String> heldIds = new HashSet<>();
  private final List<SidecarRequest> requests = new ArrayList<>();
  private Consumer<Collection<SidecarTask>> store = unstored -> {};
  private String podUid;
  private long process;
  private boolean ready;

  SidecarEngine(
      List<SidecarFaults> faults,
      Function<String, Duration> taskDelay,
      ScheduledExecutorService timer,
      Runnable readyChanged) {
    this.faults = faults;
    this.taskDelay = taskDelay;
    this.timer = timer;
    this.readyChanged = readyChanged;
  }

  /** Goes on with what another process left, and hands what there is to a store at each change. */
  synchronized void restore(List<SidecarTask> left, Consumer<Collection<SidecarTask>> into) {
    left.forEach(task -> tasks.put(task.id(), task));
    store = into;
  }

  synchronized void start(String uid) {
    if (uid.equals(podUid)) {
      return;
    }
    podUid = uid;
    beginProcess();
  }

  synchronized void stop() {
    podUid = null;
    process++;
    setReady(false);
  }

  synchronized void restart() {
    if (podUid != null) {
      beginProcess();
    }
  }

  private void beginProcess() {
    process++;
    setReady(false);
    for (SidecarTask task : List.copyOf(tasks.values())) {
      if (task.isRunning()) {
        execute(task.rerun());
      }
    }
  }

  synchronized boolean runs() {
    return podUid != null;
  }

  synchronized boolean isReady() {
    return ready;
  }

  /** Submits a task; returns whether the id was unknown before. */
  synchronized boolean submit(String id, String type, JsonNode params) {
    SidecarTask known = tasks.get(id);
    if (known == null) {
      String now = Instant.now().toString();
      execute(new SidecarTask(id, type, SidecarTask.RUNNING, 1, params, null, now, null));
      return true;
    }
    if (SidecarTask.FAILED.equals(known.status())) {
      execute(known.rerun());
    }
    return false;
  }

  synchronized Optional<SidecarTask> find(String id) {
    return Optional.ofNullable(tasks.get(id));
  }

  synchronized List<SidecarTask> list() {
    List<SidecarTask> all = List.copyOf(tasks.values());
    return all.subList(Math.max(0, all.size() - LISTED_TASKS), all.size());
  }

  synchronized boolean delete(String id) {
    heldIds.remove(id);
    boolean known = tasks.remove(id) != null;
    store.accept(tasks.values());
    return known;
  }

  synchronized int executions(String type) {
    return executions.getOrDefault(type, 0);
  }

  synchronized void record(SidecarRequest request) {
    requests.add(request);
  }

  synchronized List<SidecarRequest> requests() {
    return List.copyOf(requests);
  }

  /** Goes on with tasks that were held and no longer are. */
  synchronized void resume() {
    if (podUid == null) {
      return;
    }
    for (SidecarTask task : List.copyOf(tasks.values())) {
      if (heldIds.contains(task.id()) && !isHeld(task.type())) {
        finish(task, process);
      }
    }
  }

  private void execute(SidecarTask task) {
    put(task);
    executions.merge(task.type(), 1, Integer::sum);
    heldIds.remove(task.id());
    if (isHeld(task.type())) {
      heldIds.add(task.id());
      return;
    }
    Duration delay = taskDelay.apply(task.type());
    long runBy = process;
    if (delay.isZero()) {
      finish(task, runBy);
    } else {
      timer.schedule(() -> finish(task, runBy), delay.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private synchronized void finish(SidecarTask task, long runBy) {
    // A dead process finishes nothing, and a deleted or re-executed task is not this one any more.
    if (runBy != process || !task.equals(tasks.get(task.id()))) {
      return;
    }
    if (isHeld(task.type())) {
      heldIds.add(task.id());
      return;
    }
    heldIds.remove(task.id());
    String now = Instant.now().toString();
    Optional<String> failure =
        faults.stream().flatMap(f -> f.takeFailure(task.type()).stream()).findFirst();
    put(failure.map(e -> task.fail(e, now)).orElseGet(() -> task.complete(now)));
    if (failure.isEmpty() && MARK_READY.equals(task.type())) {
      setReady(true);
    }
  }

  private void put(SidecarTask task) {
    tasks.put(task.id(), task);
    store.accept(tasks.values());
  }

  private boolean isHeld(String type) {
    return SNAPSHOT_UPLOAD.equals(type) || faults.stream().anyMatch(f -> f.holds(type));
  }

  private void setReady(boolean value) {
    if (ready != value) {
      ready = value;
      readyChanged.run();
    }
  }
}
