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

  /** How old a chain's newest block may be; upstream's operator has the same. */
  static final Duration LONGEST_BLOCK = Duration.ofMinutes(2);

  private static final FleetConditionType TYPE = FleetConditionType.PRODUCING;

  /**
   * The newest block of a node.
   *
   * @param height 0 before the first
   * @param time long ago before the first
   */
  public record Block(long height, Instant time) {}

  /** What the nodes say of their RPC, also while none has been asked since the operator started. */
  enum Answers {
    NO_NODES,
    NEVER,
    SOME,
    NO_MORE
  }

  @Override
  public void conditions(FleetConditionParts conditions) {
    conditions.report(this::report).event(EventRule.one(BlockProduction::changed));
  }

  private void report(FleetPass pass) {
    if (pass.deployment().getSpec().genesis() == null) {
      return;
    }
    List<SeiNode> nodes = pass.view().children().stream().map(it -> it.node()).toList();
    Optional<Block> newest =
        nodes.stream()
            .flatMap(it -> last.apply(it).stream())
            .max(Comparator.comparing(Block::height));
    Optional<Condition> said = find(pass.stored());
    ConditionProposal proposal = verdict(said, answers(nodes), newest, pass.now());
    pass.offer(TYPE, proposal);
    // Nothing announces a block. A chain that makes them may be found out later that it does not.
    pass.recheckAfter(
        proposal.status() == ConditionStatus.TRUE ? Recheck.CONFLICT : Recheck.UNWATCHED);
  }

  private static Answers answers(List<SeiNode> nodes) {
    List<Condition> said =
        nodes.stream()
            .flatMap(it -> FleetNode.says(it, NodeConditionType.CAUGHT_UP).stream())
            .toList();
    if (nodes.isEmpty()) {
      return Answers.NO_NODES;
    }
    if (said.isEmpty()) {
      return Answers.NEVER;
    }
    return said.stream().allMatch(it -> it.status() == ConditionStatus.UNKNOWN)
        ? Answers.NO_MORE
        : Answers.SOME;
  }

  /**
   * What the condition is to say: what it has said for as long as nothing else is true.
   *
   * @param newest what the node with the most blocks has last said; empty if none has been heard
   */
  static ConditionProposal verdict(
      Optional<Condition> said, Answers answers, Optional<Block> newest, Instant now) {
    Optional<ConditionProposal> heard = newest.map(it -> verdict(it, now));
    ConditionProposal proposal =
        heard.or(() -> unheard(answers)).orElseGet(BlockProduction::awaiting);
    boolean isUnasked = heard.isEmpty() && answers == Answers.SOME;
    return said.filter(it -> isUnasked || isSame(it, proposal))
        .map(ConditionProposal::kept)
        .orElse(proposal);
  }

  private static ConditionProposal verdict(Block newest, Instant now) {
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

  private static Optional<ConditionProposal> unheard(Answers answers) {
    return switch (answers) {
      case NO_NODES -> Optional.of(unknown(FleetReason.NO_NODES, "there is no node yet"));
      case NO_MORE ->
          Optional.of(unknown(FleetReason.SIGNAL_UNREADABLE, "no node's RPC answers any more"));
      case NEVER, SOME -> Optional.empty();
    };
  }

  private static ConditionProposal awaiting() {
    return no(FleetReason.AWAITING_FIRST_BLOCK, "no node has a block yet");
  }

  private static Optional<Condition> find(SeiNodeDeploymentStatus status) {
    return status.condition(TYPE);
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
