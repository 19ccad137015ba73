package io.sei.operator.task;

import io.sei.operator.api.v1alpha1.SeiNodeTask;
import io.sei.operator.base.FairSemaphore;
import io.sei.operator.base.PerObjectMap;
import io.sei.operator.base.PerObjectState;
import io.sei.operator.base.ReconcileThreads;
import io.sei.operator.base.Times;
import io.sei.operator.chain.HttpChainClient;
import io.sei.operator.chain.NodeRpc;
import io.sei.operator.chain.SearchedBlock;
import io.sei.operator.chain.TransactionResult;
import io.sei.operator.chain.UnusableAnswer;
import io.sei.operator.diagnosis.PodFacts;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Searches the blocks of a node for a transaction that its sidecar sent. The default configuration
 * of a validator indexes no transactions, so its sidecar cannot find them by their hashes; the
 * blocks and their results are there all the same.
 */
final class BlockSearch {

  /** seid includes a transaction within seconds, and drops it from its mempool within minutes. */
  static final Duration PATIENCE = Duration.ofMinutes(2);

  /** Time for which one poll searches; the task continues with the next one. */
  private static final Duration POLL = Duration.ofSeconds(2);

  /** Tolerated difference between the clocks of the chain and of this process. */
  private static final Duration SKEW = Duration.ofMinutes(1);

  /** Polls at a time: each may hold megabytes. */
  private static final int SEARCHES = 2;

  /** Polls in which one block is tried, such as one that is above the limit of an answer. */
  private static final int TRIES = 3;

  /** Blocks that one search leaves out; a node that lacks more of them is not searched further. */
  private static final int MAX_UNREAD = 8;

  /** Outcome of a poll. */
  sealed interface Result {

    /** The transaction is in a block. */
    record Found(TransactionResult transaction) implements Result {}

    /** The transaction may still be found. */
    record Searching() implements Result {}

    /** The search is over. */
    record NotFound(String why) implements Result {}
  }

  /** A block that could not be read. */
  private record Unread(long height, int tries, String why) {}

  /**
   * The blocks that were searched.
   *
   * @param begun when the first poll began
   * @param low lowest height that was searched; 0 if none was
   * @param high greatest height that was searched; 0 if none was
   * @param reachesTask whether they begin before the task was created
   * @param failing the block that is tried again; null if none is
   * @param leftOut blocks between low and high that were not searched
   */
  private record Progress(
      Instant begun,
      long low,
      long high,
      boolean reachesTask,
      Unread failing,
      List<Unread> leftOut) {

    static Progress none(Instant now) {
      return new Progress(now, 0, 0, false, null, List.of());
    }

    /** The height to search next: new blocks first, then older ones. */
    OptionalLong next(long newest) {
      if (high == 0) {
        return newest == 0 ? OptionalLong.empty() : OptionalLong.of(newest);
      }
      if (high < newest) {
        return OptionalLong.of(high + 1);
      }
      return reachesTask || low <= 1 ? OptionalLong.empty() : OptionalLong.of(low - 1);
    }

    Progress with(long height, boolean isOlderThanTask) {
      return new Progress(
          begun,
          low == 0 ? height : Math.min(low, height),
          Math.max(high, height),
          reachesTask || isOlderThanTask,
          failing,
          leftOut);
    }

    /** Counts a failed try, and leaves the block out after the last one. */
    Progress withFailure(long height, String why) {
      int tries = failing != null && failing.height() == height ? failing.tries() + 1 : 1;
      var unread = new Unread(height, tries, why);
      if (tries < TRIES || leftOut.size() == MAX_UNREAD) {
        return new Progress(begun, low, high, reachesTask, unread, leftOut);
      }
      List<Unread> all = Stream.concat(leftOut.stream(), Stream.of(unread)).toList();
      return new Progress(begun, low, high, reachesTask, null, all).with(height, false);
    }

    String describe(String node) {
      String searched =
          "it is in none of the blocks %d to %d of SeiNode %s".formatted(low, high, node);
      if (leftOut.isEmpty()) {
        return searched;
      }
      String unread =
          leftOut.stream()
              .map(block -> "block %d cannot: %s".formatted(block.height(), block.why()))
              .collect(Collectors.joining(", "));
      return searched + " that can be read; " + unread;
    }
  }

  private final HttpChainClient chain;
  private final Clock clock;
  private final FairSemaphore permits = new FairSemaphore(SEARCHES, 1, 1);
  private final PerObjectMap<String, Progress> searched = new PerObjectState<String>().newMap();

  BlockSearch(HttpChainClient chain, Clock clock) {
    this.chain = chain;
    this.clock = clock;
  }

  /** Searches blocks that are younger than the task, whose own status may have been lost. */
  Result poll(SeiNodeTask task, Target target, String txHash) {
    Instant since =
        Times.parse(task.getMetadata().getCreationTimestamp()).orElse(Instant.EPOCH).minus(SKEW);
    String namespace = task.getMetadata().getNamespace();
    return ReconcileThreads.onNetworkOutside(
        () -> {
          permits.acquireUninterruptibly(namespace);
          try {
            return search(task.getMetadata().getUid(), target, txHash, since);
          } finally {
            permits.release(namespace);
          }
        });
  }

  /** Forgets how far the search for a task's transaction has come. */
  void end(SeiNodeTask task) {
    searched.remove(task.getMetadata().getUid());
  }

  private Result search(String uid, Target target, String txHash, Instant since) {
    Instant begun = clock.instant();
    var rpc =
        new NodeRpc(
            target.node().getMetadata().getNamespace(),
            target.name(),
            target.pod().flatMap(PodFacts::address));
    Progress progress = searched.get(uid).orElseGet(() -> Progress.none(begun));
    try {
      long newest = newest(rpc, target.node().getSpec().chainId());
      OptionalLong next = progress.next(newest);
      while (next.isPresent() && clock.instant().isBefore(begun.plus(POLL))) {
        long height = next.getAsLong();
        try {
          SearchedBlock block = chain.search(rpc, height, txHash);
          if (block.transaction().isPresent()) {
            return new Result.Found(block.transaction().get());
          }
          progress = progress.with(height, block.time().isBefore(since));
        } catch (UnusableAnswer e) {
          progress = progress.withFailure(height, e.getMessage());
          if (progress.failing() != null) {
            return result(
                progress,
                "block %d of SeiNode %s cannot be read: %s"
                    .formatted(height, target.name(), e.getMessage()));
          }
        }
        next = progress.next(newest);
      }
      return result(progress, progress.describe(target.name()));
    } catch (UnusableAnswer e) {
      return result(
          progress,
          "the blocks of SeiNode %s cannot be read: %s".formatted(target.name(), e.getMessage()));
    } finally {
      searched.put(uid, progress);
    }
  }

  private Result result(Progress progress, String why) {
    return clock.instant().isBefore(progress.begun().plus(PATIENCE))
        ? new Result.Searching()
        : new Result.NotFound(why);
  }

  private long newest(NodeRpc rpc, String chainId) {
    try {
      return chain.askSync(rpc, chainId).join().height();
    } catch (CompletionException e) {
      throw e.getCause() instanceof UnusableAnswer unusable ? unusable : e;
    }
  }
}
