package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.diagnosis.CrashedRun;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.peers.PeerResolver;
import io.sei.operator.render.Names;
import io.sei.operator.render.SnapshotStop;
import io.sei.operator.sidecar.Sidecars;
import java.util.Optional;

/**
 * What is asked of others than the API server's watches, away from the reconciles: sidecars, chains
 * and logs. A reconcile says what there is to ask and goes on with what is known; an answer that is
 * news wakes the node. Only before a stop for a snapshot, and when a fleet's node becomes Ready, it
 * comes back once there is an answer: what is stopped answers no more, and two news make one write.
 */
public record BackgroundReads(
    Sidecars sidecars,
    PeerResolver peers,
    CrashLogs logs,
    LogProbe logProbe,
    ChainWatch chains,
    FirstBlocks firstBlocks) {

  /** Begins to ask what a node's pod gives rise to, and ends what it no longer does. */
  void follow(NodeReconcile reconcile) {
    ResourceID node = ResourceID.fromResource(reconcile.node());
    Optional<Pod> pod = reconcile.snapshot().livePod();
    if (pod.filter(PodFacts::isRunning).isEmpty()) {
      sidecars.pause(node);
    } else if (sidecars.watch(node, reconcile.sidecar())) {
      peers.announce(reconcile.node());
    }
    String nodeId = reconcile.status().nodeId();
    if (nodeId != null && !nodeId.equals(reconcile.snapshot().status().nodeId())) {
      peers.announce(reconcile.node(), nodeId);
    }
    chains.observe(reconcile.snapshot());
    firstBlocks.look(reconcile);
    // What was read of a pod before it was updated in place is of another image.
    pod.or(reconcile.snapshot()::bootstrapPod)
        .filter(it -> CrashedRun.of(it).isPresent() || PodFacts.runs(it, Names.SEID))
        .ifPresentOrElse(it -> logs.look(node, it), () -> logs.end(node));
  }

  /**
   * Asks a node that is about to be stopped for a snapshot how far its data goes.
   *
   * @return whether its answer may still come, and wakes the node
   */
  boolean awaitsHeightBeforeStop(NodeReconcile reconcile) {
    Optional<SnapshotStop> stop =
        reconcile.snapshot().stop().filter(it -> reconcile.status().stopped() == null);
    stop.ifPresent(it -> chains.observe(reconcile.snapshot()));
    return stop.filter(
            it -> chains.awaitsHeight(ResourceID.fromResource(reconcile.node()), it.snapshot()))
        .isPresent();
  }

  /** Whether a node that has just become Ready may say in a moment that it has caught up. */
  boolean awaitsFirstBlocks(NodeReconcile reconcile) {
    return firstBlocks.awaitsFirst(reconcile);
  }

  /** Stops asking about a node that goes. */
  void pause(ResourceID node) {
    sidecars.pause(node);
    chains.end(node);
    firstBlocks.end(node);
  }
}
