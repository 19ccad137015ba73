package io.sei.operator.node.objects;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.base.Answer;
import io.sei.operator.base.Poller;
import io.sei.operator.base.Polling;
import io.sei.operator.chain.NodeRpc;
import io.sei.operator.chain.SeidVersion;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.render.Names;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/** Version of the seid that runs, as its RPC reports it; each run is asked once. */
public final class RunningVersion {

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

  public RunningVersion(Rpc rpc, Polling<ResourceID> polling) {
    this.versions = Poller.waiting(polling, question -> rpc.version(question.node()));
  }

  /** Returns the version, as far as it is known. */
  public Optional<SeidVersion> of(NodePass pass) {
    return question(pass)
        .flatMap(
            question ->
                version(
                    versions.ask(
                        ResourceID.fromResource(pass.node()),
                        question,
                        Poller.Demand.once(AGAIN))));
  }

  /**
   * Returns what a pass reads of the version, which is empty as long as it is unknown. The node is
   * reconciled once that is something else.
   */
  public <R> R read(NodePass pass, Function<Optional<SeidVersion>, R> reading) {
    Optional<Question> question = question(pass);
    if (question.isEmpty()) {
      return reading.apply(Optional.empty());
    }
    return versions.read(
        ResourceID.fromResource(pass.node()),
        question.get(),
        Poller.Demand.once(AGAIN),
        answer -> reading.apply(version(answer)));
  }

  private static Optional<Question> question(NodePass pass) {
    if (!pass.view().servesRpc()) {
      return Optional.empty();
    }
    Optional<Pod> pod = pass.view().livePod().filter(PodFacts::isReady);
    return pod.flatMap(ready -> PodFacts.containerId(ready, Names.SEID))
        .map(
            run ->
                new Question(
                    new NodeRpc(pass.namespace(), pass.name(), pod.flatMap(PodFacts::address)),
                    run));
  }

  private static Optional<SeidVersion> version(Answer<Optional<SeidVersion>> answer) {
    return answer.value().flatMap(version -> version);
  }
}
