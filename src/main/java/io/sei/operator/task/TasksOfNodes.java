package io.sei.operator.task;

import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.sei.operator.api.v1alpha1.NodeTaskKind;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.AwaitCondition;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiNodeTaskSpec;
import io.sei.operator.render.Annotations;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Finds the SeiNodeTasks that take a node down in the cache of their controller, for the node's
 * fleet. Before that controller is started none is known.
 */
public final class TasksOfNodes {

  /** Blocks before its height from which a task counts: two minutes at the pace of Sei. */
  static final long BLOCKS_BEFORE = 300;

  private static final String BY_NODE = "tasks-of-node";

  private final Function<SeiNode, OptionalLong> heights;
  private volatile IndexerResourceCache<SeiNodeTask> tasks;

  /**
   * @param heights the last known height of a node; sends no request
   */
  public TasksOfNodes(Function<SeiNode, OptionalLong> heights) {
    this.heights = heights;
  }

  /** Reads tasks from a cache from now on. */
  void follow(IndexerResourceCache<SeiNodeTask> cache) {
    cache.addIndexers(Map.of(BY_NODE, TasksOfNodes::keys));
    tasks = cache;
  }

  /**
   * Returns whether a task ends a node's seid at a height that is near. The node serves until then.
   */
  public boolean isSeidEndNear(SeiNode node) {
    return isStarted() && isSeidEndNear(ofNode(node), heights.apply(node));
  }

  /**
   * Returns whether one of a node's tasks ends its seid at a height that is near.
   *
   * @param height of the node; where it is not known, any height may be near
   */
  static boolean isSeidEndNear(Stream<SeiNodeTask> tasks, OptionalLong height) {
    return tasks
        .filter(task -> endsSeid(task.getSpec().awaitCondition()))
        .filter(task -> isOpen(task) && task.getStatus() != null)
        .filter(task -> task.getStatus().task() != null)
        .mapToLong(task -> task.getSpec().awaitCondition().height().targetHeight())
        .anyMatch(target -> height.isEmpty() || height.getAsLong() >= target - BLOCKS_BEFORE);
  }

  /**
   * Returns whether the task that a node's request to restart seid names is known, and has not
   * ended.
   */
  public boolean requestsRestart(SeiNode node) {
    return isStarted() && requestsRestart(ofNode(node), node);
  }

  /** Returns whether that task is known to have ended, or to have been deleted. */
  public boolean hasAbandonedRestart(SeiNode node) {
    return isStarted() && !requestsRestart(ofNode(node), node);
  }

  static boolean requestsRestart(Stream<SeiNodeTask> tasks, SeiNode node) {
    String request = Annotations.of(node, Annotations.SEID_RESTART_REQUESTED).orElse("");
    return tasks
        .filter(task -> task.getSpec().kind() == NodeTaskKind.RESTART_SEID)
        .anyMatch(task -> isOpen(task) && TaskRules.id(task).equals(request));
  }

  private boolean isStarted() {
    return tasks instanceof AbstractEventSource<?, ?> source && source.isRunning();
  }

  private Stream<SeiNodeTask> ofNode(SeiNode node) {
    return tasks
        .byIndex(BY_NODE, key(node.getMetadata().getNamespace(), node.getMetadata().getName()))
        .stream();
  }

  /** The node that a task takes down; none for other tasks, and where that cannot be read. */
  static List<String> keys(SeiNodeTask task) {
    SeiNodeTaskSpec spec = task.getSpec();
    boolean takesNodeDown =
        spec != null
            && spec.target() != null
            && (spec.kind() == NodeTaskKind.RESTART_SEID || endsSeid(spec.awaitCondition()));
    return takesNodeDown
        ? List.of(key(task.getMetadata().getNamespace(), spec.target().nodeRef().name()))
        : List.of();
  }

  private static boolean isOpen(SeiNodeTask task) {
    return task.getStatus() == null || !task.getStatus().finished();
  }

  private static boolean endsSeid(AwaitCondition await) {
    return await != null && await.action() != null && await.height() != null;
  }

  private static String key(String namespace, String name) {
    return namespace + "/" + name;
  }
}
