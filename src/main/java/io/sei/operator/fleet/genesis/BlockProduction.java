package io.sei.operator.fleet.genesis;

import static io.sei.operator.reconcile.ConditionProposal.no;
import static io.sei.operator.reconcile.ConditionProposal.unknown;
import static io.sei.operator.reconcile.ConditionProposal.yes;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.Conditions;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.FleetReason;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentStatus;
import io.sei.operator.base.Recheck;
import io.sei.operator.fleet.feature.FleetConditionParts;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.kube.ObjectEvent;
import io.sei.operator.reconcile.ConditionProposal;
import io.sei.operator.reconcile.EventRule;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Condition {@code Producing} of a fleet with a genesis: whether its chain makes blocks, by the
 * newest block that one of its nodes has. It is written when that changes and not with each block,
 * so its message has a height only of a chain that stands still.
 *
 * @param last the newest block that a node has reported, if it answers; sends no request
 */
public record BlockProduction(Function<SeiNode, Optional<Block>> last) implements FleetFeature {

  /** Maximum age of a chain's newest block; as in the Go operator. */
  static final Duration LONGEST_BLOCK = Duration.ofMinutes(2);

  private static final FleetConditionType TYPE = FleetConditionType.PRODUCING;

  /**
   * The newest block of a node.
   *
   * @param height 0 before the first
   * @param time long ago before the first
   */
  public record Block(long height, Instant time) {}

  @Override
  public void conditions(FleetConditionParts conditions) {
    conditions.report(this::report).event(EventRule.one(BlockProduction::changed));
  }

  private void report(FleetPass pass) {
    if (pass.deployment().getSpec().genesis() == null) {
      return;
    }
    List<SeiNode> nodes = pass.view().children().stream().map(child -> child.node()).toList();
    Optional<Block> newest =
        nodes.stream()
            .flatMap(node -> last.apply(node).stream())
            .max(Comparator.comparing(Block::height));
    ConditionProposal proposal = propose(pass.stored().condition(TYPE), nodes, newest, pass.now());
    pass.offer(TYPE, proposal);
    // Nothing announces a block. A chain that makes them may be found out later that it does not.
    pass.recheckAfter(
        proposal.status() == ConditionStatus.TRUE ? Recheck.CONFLICT : Recheck.UNWATCHED);
  }

  /**
   * Proposes the condition; the stored one again for as long as nothing else is true.
   *
   * @param newest block of the node that has the most of them; empty if no node has reported one
   */
  static ConditionProposal propose(
      Optional<Condition> stored, List<SeiNode> nodes, Optional<Block> newest, Instant now) {
    ConditionProposal proposal =
        newest.map(block -> reported(block, now)).orElseGet(() -> unreported(stored, nodes));
    return stored
        .filter(condition -> isSame(condition, proposal))
        .map(ConditionProposal::kept)
        .orElse(proposal);
  }

  private static ConditionProposal reported(Block newest, Instant now) {
    if (newest.height() == 0) {
      return awaiting();
    }
    return newest.time().isBefore(now.minus(LONGEST_BLOCK))
        ? no(
            FleetReason.HEIGHT_STALLED,
            "block %d is of %s, and none is newer; blocks need more than two thirds of the voting power"
                .formatted(newest.height(), newest.time()))
        : yes(FleetReason.HEIGHT_ADVANCING, "the chain makes blocks");
  }

  /** Nodes whose RPC answers may not have been asked since the operator started. */
  private static ConditionProposal unreported(Optional<Condition> stored, List<SeiNode> nodes) {
    if (nodes.isEmpty()) {
      return unknown(FleetReason.NO_NODES, "there is no node yet");
    }
    List<Condition> answers =
        nodes.stream()
            .flatMap(node -> FleetNode.says(node, NodeConditionType.CAUGHT_UP).stream())
            .toList();
    if (answers.isEmpty()) {
      return awaiting();
    }
    if (answers.stream().allMatch(answer -> answer.status() == ConditionStatus.UNKNOWN)) {
      return unknown(FleetReason.SIGNAL_UNREADABLE, "no node's RPC answers any more");
    }
    return stored.map(ConditionProposal::kept).orElseGet(BlockProduction::awaiting);
  }

  private static ConditionProposal awaiting() {
    return no(FleetReason.AWAITING_FIRST_BLOCK, "no node has a block yet");
  }

  private static boolean isSame(Condition said, ConditionProposal proposal) {
    return said.status() == proposal.status() && said.isFor(proposal.reason());
  }

  private static Optional<ObjectEvent> changed(
      SeiNodeDeploymentStatus before, SeiNodeDeploymentStatus after) {
    return Conditions.changed(before.conditions(), after.conditions(), TYPE)
        .filter(now -> now.isFor(FleetReason.HEIGHT_ADVANCING, FleetReason.HEIGHT_STALLED))
        .map(
            now ->
                now.isTrue()
                    ? ObjectEvent.normal(now.reason(), now.message())
                    : ObjectEvent.warning(now.reason(), now.message()));
  }
}
