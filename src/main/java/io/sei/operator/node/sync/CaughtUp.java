package io.sei.operator.node.sync;

import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.unknown;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.chain.SyncState;
import io.sei.operator.diagnosis.Finding;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.SeidState;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.FindingRank;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.Rank;
import io.sei.operator.observability.GaugeRow;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.EventRule;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The condition CaughtUp: whether a node has the blocks that its peers have, by its own RPC. It is
 * written when that changes and not with each block, so its message has no number that a block
 * changes. While seid is restarted it stays as it was, until the new run has said something else or
 * nothing for two minutes. A node of which seid has never answered does not have it. An RPC that no
 * longer answers, of a seid that runs, is the finding SeidNotResponding.
 */
public record CaughtUp(SyncPoller poller) {

  private static final NodeConditionType TYPE = NodeConditionType.CAUGHT_UP;

  private static final String NOW_IN_METRICS =
      "; kubectl sei status and sei_node_height, sei_node_lag_blocks and sei_node_peers have how"
          + " far it is";

  private static final String FETCHES = "seid fetches the blocks that its peers have";

  private static final String NEXT_STEP =
      "see what it waits for before you restart it, as its runbook says: the disk, the CPU of its"
          + " Kubernetes node, a deadlock; the operator does not restart it";

  /** An operation that ends seid, or starts it again, leaves its RPC closed for a while. */
  private static final Duration OF_A_PLAN = Duration.ofMinutes(2);

  void conditions(ConditionParts conditions) {
    conditions
        .record(this::record)
        .report(this::report)
        .event(
            EventRule.normal(
                "CaughtUp",
                (before, after) ->
                    find(after)
                        .filter(Condition::isTrue)
                        .filter(condition -> is(before, ConditionStatus.FALSE))
                        .map(Condition::message)))
        .event(
            EventRule.warning(
                "NoPeers",
                (before, after) ->
                    find(after)
                        .filter(condition -> condition.isFor(NodeReason.NO_PEERS))
                        .filter(
                            condition ->
                                find(before)
                                    .filter(was -> was.isFor(NodeReason.NO_PEERS))
                                    .isEmpty())
                        .map(Condition::message)));
    gauges(poller::last).forEach(conditions::gauge);
    conditions.gauge(
        GaugeRow.value(
            "sei_node_frozen",
            "1 while a node stands at its freeze.height; absent otherwise",
            node ->
                find(node.getStatus()).filter(now -> now.isFor(NodeReason.FROZEN)).map(any -> 1)));
  }

  void record(NodePass pass) {
    poller.firstBlock(pass.view()).ifPresent(pass::firstBlock);
    if (isCatchingUp(pass)) {
      pass.offer(Rank.Ready.POD_NOT_READY, no(NodeReason.CATCHING_UP, FETCHES + NOW_IN_METRICS));
      pass.recheckAfter(HeightRecord.LONG);
      // Fetching blocks is progress, however long it takes.
      pass.suspendDeadline(FETCHES);
    }
    recordHang(pass);
  }

  /** A task of a plan has a deadline of its own, and so has the first start of a node. */
  private boolean isCatchingUp(NodePass pass) {
    TaskPlan plan = pass.draft().plan();
    boolean isPlanless = plan == null || !plan.isActive() && !plan.isFailed();
    return isPlanless
        && pass.draft().syncedAt() != null
        && pass.view().livePod().filter(pod -> !PodFacts.isReady(pod)).isPresent()
        && poller.observe(pass.view()).isGettingBlocks(pass.now());
  }

  /** Reports a seid that hangs: nothing ends it, as no probe does. */
  private void recordHang(NodePass pass) {
    Optional<Instant> since = poller.observe(pass.view()).hangsSince();
    if (since.isEmpty() || SeidState.of(pass.view().livePod().orElse(null)).running().isEmpty()) {
      return;
    }
    TaskPlan plan = pass.draft().plan();
    Instant due = since.get().plus(OF_A_PLAN);
    if (plan != null && plan.isActive() && pass.now().isBefore(due)) {
      pass.recheckAfter(Duration.between(pass.now(), due));
      return;
    }
    pass.offer(
        FindingRank.NOT_RESPONDING,
        new Finding(StallReason.SEID_NOT_RESPONDING, hangs(since.get()), NEXT_STEP, false));
  }

  private static String hangs(Instant since) {
    return "the process of seid runs, and its RPC has not answered since "
        + since.truncatedTo(ChronoUnit.SECONDS);
  }

  void report(NodePass pass) {
    Sync sync = poller.observe(pass.view());
    proposal(pass.draft().condition(TYPE), sync, isStopped(pass.view()))
        .ifPresent(proposal -> pass.put(TYPE, proposal));
  }

  /**
   * Gauges of nodes.
   *
   * @param last what a node has last said, if it answers
   */
  public static List<GaugeRow<SeiNode>> gauges(Function<SeiNode, Optional<SyncState>> last) {
    return List.of(
        GaugeRow.value(
            "sei_node_height",
            "Height of a node when it was last asked, at most a minute ago; only in the"
                + " replica that leads, absent while the node does not answer",
            node -> last.apply(node).map(SyncState::height)),
        GaugeRow.value(
            "sei_node_lag_blocks",
            "How many blocks the peers of a node are ahead of it; absent until a peer has told it,"
                + " and of a node that stands at its freeze.height",
            node ->
                last.apply(node)
                    .filter(
                        known ->
                            node.getSpec() != null && node.getSpec().executes(known.height() + 1))
                    .flatMap(SyncState::lag)),
        GaugeRow.value(
            "sei_node_peers",
            "Peers that a node is connected to",
            node -> last.apply(node).flatMap(SyncState::peers)));
  }

  private static Optional<Condition> find(SeiNodeStatus status) {
    return status.condition(TYPE);
  }

  private static boolean is(SeiNodeStatus status, ConditionStatus value) {
    return find(status).filter(condition -> condition.status() == value).isPresent();
  }

  /** A person keeps seid from running. */
  private static boolean isStopped(NodeView view) {
    return Boolean.TRUE.equals(view.declared().paused()) && view.livePod().isEmpty()
        || view.isIdle();
  }

  /** Returns the value of the condition; empty if there is none yet. */
  static Optional<ConditionProposal> proposal(
      Optional<Condition> drafted, Sync sync, boolean stopped) {
    if (sync.hangsSince().isPresent() && !stopped) {
      String message = hangs(sync.hangsSince().get());
      return Optional.of(unlessDrafted(drafted, unknown(StallReason.SEID_NOT_RESPONDING, message)));
    }
    Optional<CatchUpState> state = stopped ? Optional.of(CatchUpState.SILENT) : sync.reported();
    boolean hasNeverAnswered = drafted.isEmpty() && state.equals(Optional.of(CatchUpState.SILENT));
    if (state.isEmpty() || hasNeverAnswered) {
      return drafted.map(ConditionProposal::kept);
    }
    return Optional.of(unlessDrafted(drafted, proposal(state.get(), stopped)));
  }

  /** Keeps the condition, with its message, while its status and its reason stay. */
  private static ConditionProposal unlessDrafted(
      Optional<Condition> drafted, ConditionProposal proposal) {
    return drafted
        .filter(condition -> condition.status() == proposal.status())
        .filter(condition -> condition.isFor(proposal.reason()))
        .map(ConditionProposal::kept)
        .orElse(proposal);
  }

  private static ConditionProposal proposal(CatchUpState state, boolean stopped) {
    return switch (state) {
      case CAUGHT_UP -> yes(NodeReason.CAUGHT_UP, "seid has caught up with its chain");
      case FROZEN ->
          yes(
              NodeReason.FROZEN,
              "seid serves queries and executes no more blocks, as freeze.height asks for");
      case CATCHING_UP -> no(NodeReason.CATCHING_UP, FETCHES + NOW_IN_METRICS);
      case NO_PEERS ->
          no(
              NodeReason.NO_PEERS,
              "seid has no peer to fetch blocks from; check spec.peers, and that other nodes can be"
                  + " reached on port 26656; peers that were found since count from seid's next"
                  + " start: kubectl sei restart");
      case SILENT ->
          unknown(
              NodeReason.NOT_ASKED,
              stopped
                  ? "seid is stopped"
                  : "the RPC of seid does not answer; it opens once seid has replayed its blocks or"
                      + " restored a state");
    };
  }
}
