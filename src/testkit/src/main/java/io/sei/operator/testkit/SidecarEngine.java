package io.sei.operator.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The task engine of one node's sidecar. Tasks and the home are on the node's data volume and so
 * outlive the process; the ready flag is process memory and does not. Tasks run side by side,
 * without a queue.
 */
final class SidecarEngine {
  static final String MARK_READY = "mark-ready";

  /** Uploads snapshots in a loop: such a task does not end by itself. */
  static final String SNAPSHOT_UPLOAD = "snapshot-upload";

  private static final String RESTART_SEID = "restart-seid";
  private static final String MARK_NOT_READY = "mark-not-ready";
  private static final int LISTED_TASKS = 100;

  /** Between two looks at a seid that is being restarted. */
  private static final Duration LOOK = Duration.ofMillis(20);

  /** One execution of a task, which may outlive its row. */
  private static final class Work {
    final SidecarTask task;
    boolean held;
    SeidRestart restart;

    Work(SidecarTask task) {
      this.task = task;
    }
  }

  /** Duration of a task. */
  private static final Duration TASK_DELAY = Duration.ofMillis(20);

  private final List<SidecarFaults> faults;
  private final ScheduledExecutorService timer;
  private final Supplier<SidecarVersion> installed;
  private final Supplier<Duration> seidPatience;
  private final Runnable readyChanged;
  private final Map<String, Integer> executions = new HashMap<>();
  private final Set<Work> works = new LinkedHashSet<>();
  private final List<SidecarRequest> requests = new ArrayList<>();
  private SidecarVolume volume = new SidecarVolume();
  private SidecarVersion version;
  private SidecarMetrics metrics = new SidecarMetrics();
  private String podUid;
  private int restarts;
  private SeidProcess seid = SeidProcess.NONE;
  private SidecarChains chains;
  private boolean ready;

  SidecarEngine(
      List<SidecarFaults> faults,
      ScheduledExecutorService timer,
      Supplier<SidecarVersion> installed,
      Supplier<Duration> seidPatience,
      Consumer<SidecarTask> broadcast,
      Runnable readyChanged) {
    this.faults = faults;
    this.timer = timer;
    this.installed = installed;
    this.seidPatience = seidPatience;
    this.readyChanged = readyChanged;
    this.version = installed.get();
    chains =
        new SimulatedChains(
            host -> faults.stream().anyMatch(fault -> fault.isSilent(host)), broadcast);
  }

  /** Sets the chains that its tasks reach instead of the simulated ones. */
  synchronized void reach(SidecarChains real) {
    chains = real;
  }

  /** Returns the volume with which the next process continues. */
  synchronized SidecarVolume volume() {
    return volume;
  }

  synchronized void mount(SidecarVolume mounted) {
    volume = mounted;
  }

  /** The home is as {@code seid init} leaves it. */
  synchronized void initHome() {
    volume.home(volume.home().initialised());
  }

  synchronized void forgetStateSync() {
    volume.home(volume.home().without(SidecarHome.STATE_SYNC_DONE));
  }

  synchronized SidecarHome home() {
    return volume.home();
  }

  synchronized SidecarVersion version() {
    return version;
  }

  synchronized void start(String uid, SeidProcess beside) {
    if (uid.equals(podUid)) {
      return;
    }
    podUid = uid;
    seid = beside;
    beginProcess();
  }

  synchronized void stop() {
    podUid = null;
    endProcess();
  }

  synchronized void restart() {
    if (podUid != null) {
      endProcess();
      beginProcess();
      restarts++;
    }
  }

  /** Number of processes that followed another one in the same pod. */
  synchronized int restarts() {
    return restarts;
  }

  /**
   * Running tasks stay running. Up to 0.0.60 some end as failed, those with a deleted row too:
   * which ones is a race there, and a switch here.
   */
  private void endProcess() {
    if (version.mayFailInterrupted() && faults.stream().anyMatch(SidecarFaults::failsInterrupted)) {
      works.forEach(work -> volume.put(work.task.fail("context canceled", now())));
    }
    works.clear();
    setReady(false);
  }

  /**
   * Executes the running task again in the same run, unless this version does not know its type.
   */
  private void beginProcess() {
    works.clear();
    setReady(false);
    version = installed.get();
    metrics = new SidecarMetrics();
    for (SidecarTask task : volume.tasks()) {
      if (task.isRunning() && version.knows(task.type())) {
        execute(task);
      } else if (task.isRunning()) {
        volume.put(task.fail("no handler registered for task type", now()));
      }
    }
  }

  synchronized boolean runs() {
    return podUid != null;
  }

  synchronized boolean isReady() {
    return ready;
  }

  /** Returns the answer of {@code GET /v0/status}. */
  synchronized Map<String, Object> status() {
    var status = new LinkedHashMap<String, Object>();
    status.put("status", ready ? "Ready" : "Initializing");
    if (version.showsHeight()) {
      seid.height().ifPresent(height -> status.put("committedHeight", height));
    }
    return status;
  }

  /**
   * Submits a task. An id that runs or has completed changes nothing, whatever type and parameters
   * come with it; a failed one runs again, with the new ones.
   */
  synchronized void submit(String id, String type, JsonNode params) {
    Optional<SidecarTask> known = volume.find(id);
    int run = known.map(SidecarTask::run).orElse(0) + 1;
    if (known.filter(task -> !SidecarTask.FAILED.equals(task.status())).isEmpty()) {
      volume.remove(task -> task.id().equals(id));
      metrics.submitted(type);
      execute(SidecarTask.submitted(id, type, run, params, now()));
    }
  }

  synchronized Optional<SidecarTask> find(String id) {
    return volume.find(id);
  }

  /** The newest submissions, newest first. */
  synchronized List<SidecarTask> list() {
    var all = new ArrayList<>(volume.tasks());
    Collections.reverse(all);
    all.sort(Comparator.comparing((SidecarTask t) -> Instant.parse(t.submittedAt())).reversed());
    return List.copyOf(all.subList(0, Math.min(LISTED_TASKS, all.size())));
  }

  /** Removes the row. Before 0.0.66 the work continues, and brings the row back when it ends. */
  synchronized boolean delete(String id) {
    cancel(id);
    return volume.remove(task -> task.id().equals(id));
  }

  /** Ends the work of a task before its deletion, if the version does so; the row stays. */
  synchronized void cancel(String id) {
    if (version.deleteCancels()) {
      works.removeIf(work -> work.task.id().equals(id));
    }
  }

  synchronized int executions(String type) {
    return executions.getOrDefault(type, 0);
  }

  synchronized String metrics() {
    return metrics.text();
  }

  synchronized void record(SidecarRequest request) {
    requests.add(request);
  }

  synchronized List<SidecarRequest> requests() {
    return List.copyOf(requests);
  }

  /** Continues tasks that were held and no longer are. */
  synchronized void resume() {
    if (podUid == null) {
      return;
    }
    for (Work work : List.copyOf(works)) {
      if (work.held && !isHeld(work.task.type())) {
        finish(work);
      }
    }
  }

  private void execute(SidecarTask task) {
    volume.put(task);
    executions.merge(task.type(), 1, Integer::sum);
    var work = new Work(task);
    works.add(work);
    work.held = isHeld(task.type());
    if (!work.held) {
      finishIn(TASK_DELAY, work);
    }
  }

  private void finishIn(Duration delay, Work work) {
    timer.schedule(() -> finish(work), delay.toMillis(), TimeUnit.MILLISECONDS);
  }

  private synchronized void finish(Work work) {
    // A dead process finishes nothing, and neither does work that was cancelled.
    if (!works.contains(work)) {
      return;
    }
    work.held = isHeld(work.task.type());
    if (work.held) {
      return;
    }
    Optional<SidecarTask> end = carryOut(work);
    if (end.isEmpty()) {
      finishIn(LOOK, work);
      return;
    }
    works.remove(work);
    SidecarTask ended = end.get();
    metrics.ended(ended);
    // Up to 0.0.65 this may bring back a deleted row, or write over a new one of the same id.
    volume.put(ended);
    if (SidecarTask.COMPLETED.equals(ended.status())) {
      completed(ended.type());
    }
  }

  /** Carries out the work; empty while it continues. */
  private Optional<SidecarTask> carryOut(Work work) {
    SidecarTask task = work.task;
    try {
      if (work.restart == null) {
        throwInjected(task.type());
      }
      if (RESTART_SEID.equals(task.type()) && !hasRestarted(work)) {
        return Optional.empty();
      }
      volume.home(new SidecarWork(version, chains).carryOut(task, volume.home()));
      JsonNode result = SidecarResult.of(version, task, chains);
      if (SidecarResult.isTransaction(task) && !volume.home().indexesTransactions()) {
        return Optional.of(SidecarResult.unverifiable(task, result, now()));
      }
      return Optional.of(task.complete(now(), result));
    } catch (TaskFailure e) {
      return Optional.of(task.fail(e.getMessage(), now()));
    }
  }

  private void throwInjected(String type) {
    faults.stream()
        .flatMap(fault -> fault.takeFailure(type).stream())
        .findFirst()
        .ifPresent(
            error -> {
              throw new TaskFailure(error);
            });
  }

  private boolean hasRestarted(Work work) {
    if (work.restart == null) {
      work.restart = new SeidRestart(seid, seidPatience.get());
    }
    return work.restart.isDone(Instant.now());
  }

  private void completed(String type) {
    if (MARK_READY.equals(type)) {
      setReady(true);
    } else if (MARK_NOT_READY.equals(type)) {
      volume.remove(task -> MARK_READY.equals(task.type()));
      setReady(false);
    }
  }

  private boolean isHeld(String type) {
    return SNAPSHOT_UPLOAD.equals(type) || faults.stream().anyMatch(f -> f.holds(type));
  }

  private static String now() {
    return Instant.now().toString();
  }

  private void setReady(boolean value) {
    if (ready != value) {
      ready = value;
      readyChanged.run();
    }
  }
}
