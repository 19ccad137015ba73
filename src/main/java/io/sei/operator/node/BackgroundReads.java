package io.sei.operator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.diagnosis.CrashedRun;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.render.Names;
import io.sei.operator.render.SnapshotStop;
import io.sei.operator.sidecar.Sidecars;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads other programs than the API server outside the reconciles: sidecars, chains and logs. A
 * reconcile names its questions and continues with the known answers; a new answer triggers a
 * reconcile. Only before a stop for a snapshot, and when a fleet's node becomes Ready, the
 * reconcile waits for an answer: a stopped node gives no more answers, and two answers make one
 * write.
 */
public record BackgroundReads(
    Sidecars sidecars,
    PeerResolver peers,
    CrashLogs logs,
    LogProbe logProbe,
    ChainPoller chains,
    Function<NodeView, Duration> awaitsFirstAnswer) {

  /** Begins to ask what a node's pod gives rise to, and ends what it no longer does. */
  void follow(NodePass pass) {
    ResourceID node = ResourceID.fromResource(pass.node());
    Optional<Pod> pod = pass.view().livePod();
    if (pod.filter(PodFacts::isRunning).isEmpty()) {
      sidecars.pause(node);
    } else if (sidecars.watch(node, pass.sidecar())) {
      peers.announce(pass.node());
    }
    String nodeId = pass.draft().nodeId();
    if (nodeId != null && !nodeId.equals(pass.stored().nodeId())) {
      peers.announce(pass.node(), nodeId);
    }
    chains.observe(pass.view());
    // What was read of a pod before it was updated in place is of another image.
    pod.or(pass.view()::bootstrapPod)
        .filter(
            candidate ->
                CrashedRun.of(candidate).isPresent() || PodFacts.runs(candidate, Names.SEID))
        .ifPresentOrElse(present -> logs.look(node, present), () -> logs.end(node));
  }

  /**
   * Asks a node that is about to be stopped for a snapshot how far its data goes.
   *
   * @return whether the pass has to be repeated: the answer may still come, or came after the node
   *     was observed
   */
  boolean awaitsHeightBeforeStop(NodePass pass) {
    Optional<SnapshotStop> stop =
        pass.view().stop().filter(candidate -> pass.draft().stopped() == null);
    stop.ifPresent(snapshotStop -> chains.observe(pass.view()));
    return stop.filter(candidate -> chains.awaitsHeight(pass.view(), candidate.snapshot()))
        .isPresent();
  }

  /** Stops asking about a node that goes. */
  void pause(ResourceID node) {
    sidecars.pause(node);
    chains.end(node);
  }
}
