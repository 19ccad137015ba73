package io.sei.operator.testkit;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * State of a sidecar on a data volume: the rows of its database, and its home. It outlives
 * processes and pods, and goes with the volume.
 */
final class SidecarVolume {
  private final Map<String, SidecarTask> tasks = new LinkedHashMap<>();
  private final BiConsumer<List<SidecarTask>, SidecarHome> store;
  private SidecarHome home;

  /** A volume that was never written to. */
  SidecarVolume() {
    this(List.of(), SidecarHome.EMPTY, (tasks, home) -> {});
  }

  /**
   * A volume as an earlier process left it.
   *
   * @param store takes all that is there, at each change
   */
  SidecarVolume(
      List<SidecarTask> left, SidecarHome home, BiConsumer<List<SidecarTask>, SidecarHome> store) {
    left.forEach(task -> tasks.put(task.id(), task));
    this.home = home;
    this.store = store;
  }

  synchronized SidecarHome home() {
    return home;
  }

  /** Stored with the next row that changes. */
  synchronized void home(SidecarHome next) {
    home = next;
  }

  /** Another volume with the same on it. */
  synchronized SidecarVolume copy() {
    return new SidecarVolume(tasks(), home, (tasks, home) -> {});
  }

  /** Returns the volume without the sidecar's database and markers. */
  synchronized SidecarVolume withoutTraces() {
    return new SidecarVolume(List.of(), home.unmarked(), store);
  }

  /** The rows in the order of their submission. */
  synchronized List<SidecarTask> tasks() {
    return List.copyOf(tasks.values());
  }

  synchronized Optional<SidecarTask> find(String id) {
    return Optional.ofNullable(tasks.get(id));
  }

  synchronized void put(SidecarTask task) {
    tasks.put(task.id(), task);
    store.accept(tasks(), home);
  }

  /** Returns whether there was such a row. */
  synchronized boolean remove(Predicate<SidecarTask> which) {
    Collection<SidecarTask> rows = tasks.values();
    boolean removed = rows.removeIf(which);
    store.accept(tasks(), home);
    return removed;
  }
}
