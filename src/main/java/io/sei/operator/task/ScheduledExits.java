package io.sei.operator.task;

import io.javaoperatorsdk.operator.processing.event.source.AbstractEventSource;
import io.javaoperatorsdk.operator.processing.event.source.IndexerResourceCache;
import io.sei.operator.api.v1alpha1.NodeTaskPayload.AwaitCondition;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.api.v1alpha1.SeiNodeTaskSpec;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Finds the nodes whose seid a SeiNodeTask is about to end at a height. A fleet counts them as down
 * although they still serve.
 */
public final class ScheduledExits {

  /** Blocks before its height from which a task counts: two minutes at the pace of Sei. */
  static final long BLOCKS_BEFORE = 300;

  private static final String BY_NODE = "exits-of-node";

  private final Function<SeiNode, OptionalLong> heights;
  private volatile IndexerResourceCache<SeiNodeTask> tasks;

  /**
   * @param heights the last known height of a node; sends no request
   */
  public ScheduledExits(Function<SeiNode, OptionalLong> heights) {
    this.heights = heights;
  }

  /** Reads tasks from a cache from now on; before its controller is started there are none. */
  void follow(IndexerResourceCache<SeiNodeTask> cache) {
    cache.addIndexers(Map.of(BY_NODE, task -> endsSeid(task) ? List.of(node(task)) : List.of()));
    tasks = cache;
  }

  /** Whether a task is about to end a node's seid. */
  public boolean isNear(SeiNode node) {
    return isNear(ofNode(node), node, heights.apply(node));
  }

  private Stream<SeiNodeTask> ofNode(SeiNode node) {
    boolean isStarted = tasks instanceof AbstractEventSource<?, ?> source && source.isRunning();
    return isStarted
        ? tasks.byIndex(BY_NODE, key(node.getMetadata().getNamespace(), name(node))).stream()
        : Stream.empty();
  }

  /**
   * Whether one of the tasks is about to end a node's seid.
   *
   * @param height of the node; where it is not known, any height may be near
   */
  static boolean isNear(Stream<SeiNodeTask> tasks, SeiNode node, OptionalLong height) {
    return tasks
        .filter(task -> isUnderWay(task, node))
        .mapToLong(task -> await(task).height().targetHeight())
        .anyMatch(target -> height.isEmpty() || height.getAsLong() >= target - BLOCKS_BEFORE);
  }

  private static boolean isUnderWay(SeiNodeTask task, SeiNode node) {
    return endsSeid(task)
        && task.getStatus() != null
        && task.getStatus().task() != null
        && !task.getStatus().finished()
        && node(task).equals(key(node.getMetadata().getNamespace(), name(node)));
  }

  private static boolean endsSeid(SeiNodeTask task) {
    AwaitCondition await = await(task);
    return await != null && await.action() != null && await.height() != null;
  }

  private static AwaitCondition await(SeiNodeTask task) {
    SeiNodeTaskSpec spec = task.getSpec();
    return spec == null ? null : spec.awaitCondition();
  }

  private static String node(SeiNodeTask task) {
    return key(task.getMetadata().getNamespace(), task.getSpec().target().nodeRef().name());
  }

  private static String name(SeiNode node) {
    return node.getMetadata().getName();
  }

  private static String key(String namespace, String name) {
    return namespace + "/" + name;
  }
}
