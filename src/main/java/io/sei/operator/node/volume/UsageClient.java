package io.sei.operator.node.volume;

import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Asks how full the volumes of nodes are. */
@FunctionalInterface
public interface UsageClient {

  /**
   * Asks for all of them at once; never waits.
   *
   * @return what there is to know; a claim is missing of which nothing is known for sure. Fails
   *     with a message that completes "cannot be asked: "
   */
  CompletableFuture<Map<ClaimName, VolumeUsage>> read();
}
