package io.sei.operator.node.objects;

import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.base.Poller;
import io.sei.operator.base.Polling;
import io.sei.operator.chain.Releases;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.render.ExporterContainer;
import io.sei.operator.render.Names;
import io.sei.operator.render.Ports;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;

/**
 * Reports an exporter that waits for a seid without gRPC. The pod is Ready all the while, and
 * nothing but the container's own log says that the metrics of the chain are missing. A node whose
 * exporter has never waited for long does not have the condition.
 */
public final class ExporterReady implements NodeFeature {

  private static final NodeConditionType TYPE = NodeConditionType.EXPORTER_READY;

  /** Time that seid may take from its RPC to gRPC; a second was seen. */
  private static final Duration SETTLED = Duration.ofMinutes(1);

  private static final Duration AGAIN = Duration.ofMinutes(10);

  private record Question(String namespace, String pod, String run) {}

  private final Poller<ResourceID, Question, Boolean> waiting;
  private final Supplier<Releases> releases;

  /**
   * @param log reads the beginning of the log of the exporter, by namespace and pod
   */
  public ExporterReady(
      BinaryOperator<String> log, Supplier<Releases> releases, Polling<ResourceID> polling) {
    this.releases = releases;
    this.waiting =
        Poller.waiting(
            polling,
            question ->
                ExporterContainer.isWaiting(log.apply(question.namespace(), question.pod())));
  }

  @Override
  public void conditions(ConditionParts conditions) {
    conditions.report(this::report);
  }

  void report(NodePass pass) {
    boolean isKnown = pass.draft().condition(TYPE).isPresent();
    Optional<Pod> pod = pass.view().livePod().filter(PodFacts::isReady);
    if (pod.isEmpty()) {
      return;
    }
    if (PodFacts.image(pod.get(), Names.EXPORTER).isEmpty()) {
      if (isKnown) {
        pass.put(TYPE, yes(NodeReason.NO_EXPORTER, "the pod has no exporter of chain metrics"));
      }
      return;
    }
    Optional<Boolean> isWaiting = isWaiting(pass, pod.get(), isKnown);
    if (isWaiting.isPresent()) {
      pass.put(
          TYPE,
          isWaiting.get()
              ? withoutGrpc(pod.get())
              : yes(NodeReason.EXPORTER_STARTED, "the exporter of chain metrics has started"));
    }
  }

  /**
   * Asks once seid has had the time to serve gRPC.
   *
   * @param isKnown whether there is a condition, which an exporter that has started changes
   */
  private Optional<Boolean> isWaiting(NodePass pass, Pod pod, boolean isKnown) {
    Optional<String> run = PodFacts.containerId(pod, Names.EXPORTER);
    if (run.isEmpty() || !PodFacts.runs(pod, Names.EXPORTER)) {
      return Optional.empty();
    }
    Duration left = Duration.between(pass.now(), startedAt(pod).plus(SETTLED));
    if (left.isPositive()) {
      pass.recheckAfter(left);
      return Optional.empty();
    }
    var question = new Question(pass.namespace(), pod.getMetadata().getName(), run.get());
    return waiting.read(
        ResourceID.fromResource(pass.node()),
        question,
        Poller.Demand.every(AGAIN),
        answer -> answer.value().filter(isWaiting -> isWaiting || isKnown));
  }

  /**
   * Returns the time at which the pod became Ready, or at which a container of it started later.
   */
  private static Instant startedAt(Pod pod) {
    Instant ready = PodFacts.readySince(pod).orElse(Instant.EPOCH);
    Instant started = PodFacts.lastStart(pod).orElse(Instant.EPOCH);
    return ready.isAfter(started) ? ready : started;
  }

  private ConditionProposal withoutGrpc(Pod pod) {
    String without =
        releases
            .get()
            .removalOf(Ports.GRPC)
            .map(release -> " (%s and later)".formatted(release.version()))
            .orElse("");
    return no(
        NodeReason.EXPORTER_WITHOUT_GRPC,
        "pod %s: container %s waits for seid to serve gRPC on port %d, so that metrics of the chain are missing; where seid does not serve it%s, set SEI_COSMOS_EXPORTER_IMAGE to nothing; elsewhere set grpc.enable in app.toml"
            .formatted(pod.getMetadata().getName(), Names.EXPORTER, Ports.GRPC, without));
  }
}
