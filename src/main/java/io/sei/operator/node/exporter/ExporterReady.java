package io.sei.operator.node.exporter;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.base.Answer;
import io.sei.operator.base.Lookup;
import io.sei.operator.base.Memory;
import io.sei.operator.base.OwnedExecutor;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.reconcile.Verdict;
import io.sei.operator.render.ExporterContainer;
import io.sei.operator.render.Names;
import io.sei.operator.render.Ports;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Reports an exporter that waits for a seid without gRPC. The pod is Ready all the while, and
 * nothing but the container's own log says that the metrics of the chain are missing. A node whose
 * exporter has never waited for long does not have the condition.
 */
public final class ExporterReady implements NodeFeature {

  /** Reads the log of the exporter in a pod. */
  @FunctionalInterface
  public interface Log {

    /**
     * Returns the beginning of what the newest run of the exporter has logged.
     *
     * @throws RuntimeException if it cannot be read
     */
    String beginning(String namespace, String pod);
  }

  private static final NodeConditionType TYPE = NodeConditionType.EXPORTER_READY;

  /** How long after its RPC seid may take to serve gRPC; a second was seen. */
  private static final Duration SETTLED = Duration.ofMinutes(1);

  private static final Duration AGAIN = Duration.ofMinutes(10);

  private record Question(String namespace, String pod, String run) {}

  private final Lookup<ResourceID, Question, Boolean> waiting;

  /**
   * @param readers where logs are read
   */
  public ExporterReady(Log log, Memory<ResourceID> memory, OwnedExecutor<ResourceID> readers) {
    this.waiting =
        new Lookup<>(
            memory,
            it -> ExporterContainer.isWaiting(log.beginning(it.namespace(), it.pod())),
            new Lookup.Ages(AGAIN, AGAIN),
            readers);
  }

  @Override
  public void report(NodeReconcile reconcile, Optional<Finding> finding) {
    boolean isKnown = Conditions.find(reconcile.status().conditions(), TYPE).isPresent();
    Optional<Pod> pod = reconcile.snapshot().livePod().filter(PodFacts::isReady);
    if (pod.isEmpty()) {
      return;
    }
    if (PodFacts.image(pod.get(), Names.EXPORTER).isEmpty()) {
      if (isKnown) {
        reconcile.put(
            TYPE, Verdict.yes(NodeReason.NO_EXPORTER, "the pod has no exporter of chain metrics"));
      }
      return;
    }
    Optional<Answer<Boolean>> answer = ask(reconcile, pod.get());
    if (answer.isEmpty() || !(answer.get() instanceof Answer.Known<Boolean> known)) {
      return;
    }
    if (known.known()) {
      reconcile.put(TYPE, withoutGrpc(pod.get()));
      reconcile.recheckAfter(AGAIN);
    } else if (isKnown) {
      reconcile.put(
          TYPE,
          Verdict.yes(NodeReason.EXPORTER_STARTED, "the exporter of chain metrics has started"));
    }
  }

  /** Asks once seid has had the time to serve gRPC. */
  private Optional<Answer<Boolean>> ask(NodeReconcile reconcile, Pod pod) {
    Optional<String> run = PodFacts.containerId(pod, Names.EXPORTER);
    if (run.isEmpty() || !PodFacts.runs(pod, Names.EXPORTER)) {
      return Optional.empty();
    }
    Duration left = Duration.between(reconcile.now(), startedAt(pod).plus(SETTLED));
    if (left.isPositive()) {
      reconcile.recheckAfter(left);
      return Optional.empty();
    }
    var question = new Question(reconcile.namespace(), pod.getMetadata().getName(), run.get());
    return Optional.of(
        waiting.ask(ResourceID.fromResource(reconcile.node()), question, reconcile.now()));
  }

  /** When the pod became Ready, or a container of it started later. */
  private static Instant startedAt(Pod pod) {
    Instant ready = PodFacts.readySince(pod).orElse(Instant.EPOCH);
    Instant started = PodFacts.lastStart(pod).orElse(Instant.EPOCH);
    return ready.isAfter(started) ? ready : started;
  }

  private static Verdict withoutGrpc(Pod pod) {
    return Verdict.no(
        NodeReason.EXPORTER_WITHOUT_GRPC,
        "pod %s: container %s waits for seid to serve gRPC on port %d, so that metrics of the chain are missing; seid v6.8.0 and later do not serve it: set SEI_COSMOS_EXPORTER_IMAGE to nothing; an earlier one does with grpc.enable in app.toml"
            .formatted(pod.getMetadata().getName(), Names.EXPORTER, Ports.GRPC));
  }
}
