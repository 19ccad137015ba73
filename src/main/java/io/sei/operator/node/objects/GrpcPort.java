package io.sei.operator.node.objects;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.Poller;
import io.sei.operator.base.Polling;
import io.sei.operator.chain.NodeRpc;
import io.sei.operator.chain.SeidVersion;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.render.Names;
import io.sei.operator.render.Ports;
import java.time.Duration;
import java.util.Optional;

/**
 * Decides whether a node's Service lists seid's gRPC port. A Service keeps the port, or stays
 * without it, until the version of the seid that runs is known; each run is asked once.
 */
public final class GrpcPort {

  /** Asks a node for the version of its seid. */
  @FunctionalInterface
  public interface Rpc {

    /**
     * Returns the version; empty if the answer has none that can be read.
     *
     * @throws RuntimeException if it cannot be asked
     */
    Optional<SeidVersion> version(NodeRpc node);
  }

  private static final Duration AGAIN = Duration.ofMinutes(1);

  private record Question(NodeRpc node, String run) {}

  private final Poller<ResourceID, Question, Optional<SeidVersion>> versions;

  public GrpcPort(Rpc rpc, Polling<ResourceID> polling) {
    this.versions = Poller.waiting(polling, question -> rpc.version(question.node()));
  }

  /**
   * Returns whether the Service lists the port.
   *
   * @param live the Service as it is
   */
  boolean isListed(NodePass pass, Optional<Service> live) {
    boolean isListed =
        live.isEmpty()
            || live.get().getSpec().getPorts().stream()
                .anyMatch(port -> Integer.valueOf(Ports.GRPC).equals(port.getPort()));
    Optional<Pod> pod = pass.view().livePod().filter(PodFacts::isReady);
    Optional<String> run = pod.flatMap(ready -> PodFacts.containerId(ready, Names.SEID));
    if (run.isEmpty() || !pass.view().servesRpc()) {
      return isListed;
    }
    ResourceID owner = ResourceID.fromResource(pass.node());
    var rpc = new NodeRpc(pass.namespace(), owner.getName(), pod.flatMap(PodFacts::address));
    var question = new Question(rpc, run.get());
    return versions.read(
        owner,
        question,
        Poller.Demand.once(AGAIN),
        answer ->
            answer.value().flatMap(known -> known).map(SeidVersion::servesGrpc).orElse(isListed));
  }
}
