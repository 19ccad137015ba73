package io.sei.operator.node.config;

import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.feature.ConditionParts;
import io.sei.operator.node.feature.ConfigParts;
import io.sei.operator.node.feature.NodeFeature;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.OperationParts;
import io.sei.operator.node.feature.PeerSelection;
import io.sei.operator.node.feature.PeerSources;
import io.sei.operator.node.feature.SidecarWork;
import io.sei.operator.node.feature.Slot;
import io.sei.operator.plan.PlanTrigger;
import io.sei.operator.plan.PlanTrigger.PlanConflict;
import io.sei.operator.plan.PlanTrigger.Rank;
import io.sei.operator.plan.SidecarTaskTypes;
import io.sei.operator.plan.Traits;
import io.sei.operator.render.ConfigHash;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Records which peers were found, and has the sidecar given them. */
public record ResolvedPeers() implements NodeFeature {

  /** A node is given other peers this often at most. */
  private static final Duration INTERVAL = Duration.ofSeconds(30);

  /** Nodes of another namespace may consent, or no longer, at any time; nothing announces it. */
  private static final Duration CONSENT_CHECK = Duration.ofMinutes(1);

  @Override
  public void operations(OperationParts operations) {
    operations
        .task(
            SidecarWork.of(
                    SidecarTaskTypes.DISCOVER_PEERS, Traits.OF_SIDECAR.retried(PeerSources.RETRIES))
                .with(
                    discovery ->
                        discovery
                            .guard((task, pass, sidecar) -> PeerDiscovery.check(task, pass))
                            .request(PeerDiscovery::request)))
        .steps(Slot.EXTEND, (view, shape) -> PeerSources.step(view.node().getSpec()).stream())
        .trigger(PlanConflict.NONE, ResolvedPeers::ofOtherPeers);
  }

  /** They are written once it is known who they are. */
  @Override
  public void config(NodeView view, ConfigParts parts) {
    if (PeerSources.areWanted(view.node().getSpec())) {
      parts.setLater(PeerSources.KEY);
    }
  }

  /**
   * Returns whether other peers are known than the sidecar was given. A node keeps the peers it has
   * once none are known any more.
   */
  private static boolean hasOtherPeers(NodeView view) {
    SeiNodeSpec spec = view.node().getSpec();
    if (!view.isConfigured() || !PeerSources.areLabelled(spec)) {
      return false;
    }
    return PeerSources.params(spec, view.peers().addresses())
        .map(ConfigHash::ofParams)
        .filter(hash -> !hash.equals(view.stored().config().peersHash()))
        .isPresent();
  }

  /** While a fleet starts its peers become known one after the other. */
  private static Optional<PlanTrigger> ofOtherPeers(NodeView view) {
    if (!hasOtherPeers(view) || view.livePod().isEmpty()) {
      return Optional.empty();
    }
    if (view.beganWithoutPeers()) {
      return Optional.of(
          PlanTrigger.of(Rank.REFINEMENT, PlanKind.CONFIG, "its first peers have appeared"));
    }
    Instant next = view.stored().config().appliedAt().plus(INTERVAL);
    // Further away than the interval: the clock was set back since.
    Optional<Instant> notBefore =
        Optional.of(next).filter(time -> !time.isAfter(view.now().plus(INTERVAL)));
    return Optional.of(
        new PlanTrigger(Rank.REFINEMENT, PlanKind.CONFIG, "the peers changed", notBefore));
  }

  @Override
  public void conditions(ConditionParts conditions) {
    conditions.record(this::record);
  }

  /**
   * Waits while a plan is active: peers that appear one after the other would be written one by
   * one.
   */
  void record(NodePass pass) {
    if (PeerSelection.looksElsewhere(pass.node())) {
      pass.recheckAfter(CONSENT_CHECK);
    }
    TaskPlan plan = pass.draft().plan();
    if (plan == null || !plan.isActive()) {
      List<String> addresses = pass.view().peers().addresses();
      pass.update(status -> status.withResolvedPeers(addresses.isEmpty() ? null : addresses));
    }
  }
}
