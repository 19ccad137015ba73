package io.sei.operator.node.sync;

import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.base.Answer;
import io.sei.operator.base.Poller;
import io.sei.operator.base.Polling;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.LastWords;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.FindingRank;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.Rank;
import io.sei.operator.reconcile.ConditionProposal;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BinaryOperator;

/**
 * Finds a node that stands still while its peers make progress, and its log's explanation. The log
 * of a running seid is read only then, its end alone, and once for each standstill.
 */
final class HeightStandsStill {

  private static final Duration AGAIN = Duration.ofMinutes(1);

  private static final int MAX_LINE = 400;

  private static final String NEXT_STEP =
      "if the log does not explain it, restart the node once (kubectl sei restart)";

  private record Question(String namespace, String pod, String uid, Instant since) {}

  private final SyncPoller poller;
  private final Poller<ResourceID, Question, String> lines;

  HeightStandsStill(SyncPoller poller, BinaryOperator<String> log, Polling<ResourceID> polling) {
    this.poller = poller;
    this.lines =
        Poller.waiting(
            polling,
            question ->
                LastWords.quoted(log.apply(question.namespace(), question.pod()), MAX_LINE));
  }

  void conditions(ConditionParts conditions) {
    conditions.record(this::record).report(this::report);
  }

  /** Notes the standstill for the diagnosis, once the log was read or is known to be unreadable. */
  void record(NodePass pass) {
    Optional<HeightRecord.Standstill> standstill =
        poller.observe(pass.view()).heights().flatMap(HeightRecord::standstill);
    Optional<Pod> pod = pass.view().livePod();
    if (standstill.isPresent() && pod.isPresent()) {
      finding(pass, pod.get(), standstill.get())
          .ifPresent(finding -> pass.offer(FindingRank.STANDS_STILL, finding));
    }
  }

  /** While a plan is active, the node stalls by the plan's own progress deadline. */
  void report(NodePass pass) {
    TaskPlan plan = pass.draft().plan();
    pass.finding()
        .filter(found -> found.reason() == StallReason.HEIGHT_STANDS_STILL)
        .filter(found -> plan == null || !plan.isActive())
        .ifPresent(found -> pass.offer(Rank.Stalled.STANDS_STILL, ConditionProposal.yes(found)));
  }

  private Optional<Finding> finding(NodePass pass, Pod pod, HeightRecord.Standstill standstill) {
    var meta = pod.getMetadata();
    return lines.read(
        ResourceID.fromResource(pass.node()),
        new Question(meta.getNamespace(), meta.getName(), meta.getUid(), standstill.since()),
        Poller.Demand.once(AGAIN),
        line -> finding(standstill, line));
  }

  /** Returns the finding; empty while the log is being read. */
  static Optional<Finding> finding(HeightRecord.Standstill standstill, Answer<String> line) {
    return switch (line) {
      case Answer.Unasked<String> _ -> Optional.empty();
      case Answer.Known<String> known ->
          Optional.of(
              finding(
                  standstill,
                  known.known().isEmpty()
                      ? "its log is empty"
                      : "its log: \"" + known.known() + "\""));
      case Answer.Failed<String> failed ->
          Optional.of(finding(standstill, "its log cannot be read: " + failed.why().getMessage()));
    };
  }

  private static Finding finding(HeightRecord.Standstill standstill, String log) {
    return new Finding(
        StallReason.HEIGHT_STANDS_STILL,
        "seid runs at height %d since %s, while its peers went on to %d; %s"
            .formatted(standstill.height(), standstill.since(), standstill.others(), log),
        NEXT_STEP,
        false);
  }
}
