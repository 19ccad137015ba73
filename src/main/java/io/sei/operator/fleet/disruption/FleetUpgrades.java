package io.sei.operator.fleet.disruption;

import io.sei.operator.api.v1alpha1.Condition;
import io.sei.operator.api.v1alpha1.ConditionStatus;
import io.sei.operator.api.v1alpha1.FleetChain;
import io.sei.operator.api.v1alpha1.FleetChain.NextUpgrade;
import io.sei.operator.api.v1alpha1.FleetConditionType;
import io.sei.operator.api.v1alpha1.NodeConditionType;
import io.sei.operator.api.v1alpha1.NodeReason;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.chain.ChainState;
import io.sei.operator.chain.UpgradePlan;
import io.sei.operator.fleet.feature.Disruption;
import io.sei.operator.fleet.feature.FleetConditionParts;
import io.sei.operator.fleet.feature.FleetFeature;
import io.sei.operator.fleet.feature.FleetNode;
import io.sei.operator.fleet.feature.FleetPass;
import io.sei.operator.fleet.feature.FleetView;
import io.sei.operator.fleet.feature.FleetView.Child;
import io.sei.operator.fleet.feature.FleetView.DisruptionSource;
import io.sei.operator.reconcile.ConditionProposal;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Admits nodes to upgrades that run early, and reports whether all are ready for those ahead, and
 * how far the chain is.
 *
 * @param chains what was last heard of a chain, by the nodes of a namespace; sends no request
 */
public record FleetUpgrades(BiFunction<String, String, Optional<ChainState>> chains)
    implements FleetFeature, DisruptionSource {

  @Override
  public BiFunction<NodeTemplate, Integer, NodeTemplate> child(FleetPass pass) {
    EarlyUpgrades early = pass.decide(this::early, made -> !made.next().isEmpty());
    pass.countAsTakenDown(disruption(), early.next());
    return early::restrict;
  }

  private EarlyUpgrades early(FleetView view) {
    Optional<ChainState> heard = heard(view);
    return EarlyUpgrades.of(view, entry -> heard.map(chain -> chain.plansMinor(entry.name())));
  }

  private Optional<ChainState> heard(FleetView view) {
    return chains.apply(
        view.deployment().getMetadata().getNamespace(), view.template().spec().chainId());
  }

  @Override
  public Disruption disruption() {
    return Disruption.EARLY_UPGRADE;
  }

  @Override
  public List<FleetNode> inFlight(FleetView view) {
    return EarlyUpgrades.inFlight(view);
  }

  /**
   * Adds the height and the next upgrade of the chain to the status. A later step decides whether
   * that alone is written.
   */
  @Override
  public void keep(FleetPass pass) {
    Optional<ChainState> heard = heard(pass.view());
    if (heard.isEmpty()) {
      return;
    }
    FleetChain chain = withListed(reported(heard.get()), pass.view().template().spec());
    pass.update(status -> status.withChain(chain));
    if (chain.isUpgradeNear(pass.now())) {
      pass.recheckAfter(FleetChain.INTERVAL);
    }
  }

  private static FleetChain reported(ChainState chain) {
    return new FleetChain(
        chain.height(),
        chain.time().truncatedTo(ChronoUnit.SECONDS),
        chain.blocksPerSecond().isEmpty()
            ? null
            : String.format(Locale.ROOT, "%.2f", chain.blocksPerSecond().getAsDouble()),
        chain.planned().map(plan -> new NextUpgrade(plan.name(), plan.height())).orElse(null));
  }

  /** A listed upgrade that the chain has not planned yet is the next one all the same. */
  private static FleetChain withListed(FleetChain chain, SeiNodeSpec spec) {
    if (chain.nextUpgrade() != null || spec.upgrades() == null) {
      return chain;
    }
    return spec.upgrades().stream()
        .filter(entry -> entry.height() > chain.height())
        .min(Comparator.comparing(Upgrade::height))
        .map(entry -> chain.withNextUpgrade(new NextUpgrade(entry.name(), entry.height())))
        .orElse(chain);
  }

  @Override
  public void conditions(FleetConditionParts conditions) {
    conditions.report(this::report);
  }

  private void report(FleetPass pass) {
    EarlyUpgrades early = early(pass.view());
    early.recheck().ifPresent(pass::recheckAfter);
    String waits = early.obstacle().map(obstacle -> "; " + obstacle).orElse("");
    Optional<String> notMinor = notMinor(pass.view());
    ready(pass.view(), waits)
        .map(
            proposal ->
                proposal.status() == ConditionStatus.TRUE && notMinor.isPresent()
                    ? ConditionProposal.no(NodeReason.NOT_MINOR, notMinor.get())
                    : proposal)
        .ifPresent(proposal -> pass.offer(FleetConditionType.UPGRADES_READY, proposal));
  }

  /** Nodes do not report it, since they get no early entry of another upgrade. */
  private Optional<String> notMinor(FleetView view) {
    return heard(view)
        .flatMap(ChainState::planned)
        .filter(
            plan -> EarlyUpgrades.early(view).anyMatch(entry -> plan.name().equals(entry.name())))
        .flatMap(UpgradePlan::whyNotEarly);
  }

  /** The first node that is not ready, else the last one; empty if no node has the condition. */
  private static Optional<ConditionProposal> ready(FleetView view, String waits) {
    Map<String, Condition> ofNodes = new LinkedHashMap<>();
    view.wanted().map(Child::node).forEach(node -> put(node, ofNodes));
    return ofNodes.entrySet().stream()
        .filter(entry -> !entry.getValue().isTrue())
        .findFirst()
        .map(
            entry ->
                ConditionProposal.no(
                    entry.getValue().storedReason(),
                    entry.getKey() + ": " + entry.getValue().message()))
        .or(
            () ->
                ofNodes.values().stream()
                    .max(
                        Comparator.comparing(
                            condition -> condition.isFor(NodeReason.UPGRADES_PENDING)))
                    .map(own -> ConditionProposal.yes(own.storedReason(), own.message() + waits)));
  }

  private static void put(SeiNode node, Map<String, Condition> ofNodes) {
    FleetNode.says(node, NodeConditionType.UPGRADES_READY)
        .ifPresent(condition -> ofNodes.put(node.getMetadata().getName(), condition));
  }
}
