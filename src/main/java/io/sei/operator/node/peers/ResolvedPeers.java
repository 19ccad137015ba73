package io.sei.operator.node.peers;

import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.model.ConfigParts;
import io.sei.operator.node.model.NodeFeature;
import io.sei.operator.node.model.NodeReconcile;
import io.sei.operator.node.model.NodeSnapshot;
import io.sei.operator.node.model.PlanShape;
import io.sei.operator.node.model.SidecarWork;
import io.sei.operator.node.model.Slot;
import io.sei.operator.plan.Aim;
import io.sei.operator.plan.Aim.Over;
import io.sei.operator.plan.Aim.Rank;
import io.sei.operator.plan.Step;
import io.sei.operator.plan.Traits;
import io.sei.operator.progression.PeerSelection;
import io.sei.operator.progression.PeerSources;
import io.sei.operator.progression.SidecarTaskTypes;
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
  public List<SidecarWork> sidecarWork() {
    return List.of(
        SidecarWork.of(
                SidecarTaskTypes.DISCOVER_PEERS, Traits.OF_SIDECAR.retried(PeerSources.RETRIES))
            .with(
                it ->
                    it.guard((task, reconcile, sidecar) -> PeerDiscovery.check(task, reconcile))
                        .request(PeerDiscovery::request)));
  }

  @Override
  public List<Step> steps(NodeSnapshot snapshot, PlanShape shape, Slot slot) {
    return slot == Slot.EXTEND
        ? PeerSources.step(snapshot.node().getSpec()).stream().toList()
        : List.of();
  }

  /** They are written once it is known who they are. */
  @Override
  public void config(NodeSnapshot snapshot, ConfigParts parts) {
    if (PeerSources.areWanted(snapshot.node().getSpec())) {
      parts.setLater(PeerSources.KEY);
    }
  }

  /** While a fleet starts its peers become known one after the other. */
  @Override
  public List<Aim> aims(NodeSnapshot snapshot, Over over) {
    if (over != Over.NONE || !snapshot.hasOtherPeers() || snapshot.livePod().isEmpty()) {
      return List.of();
    }
    if (snapshot.beganWithoutPeers()) {
      return List.of(Aim.of(Rank.REFINEMENT, PlanKind.CONFIG, "its first peers have appeared"));
    }
    Instant next = snapshot.status().config().appliedAt().plus(INTERVAL);
    // Further away than the interval: the clock was set back since.
    Optional<Instant> notBefore =
        Optional.of(next).filter(it -> !it.isAfter(snapshot.now().plus(INTERVAL)));
    return List.of(new Aim(Rank.REFINEMENT, PlanKind.CONFIG, "the peers changed", notBefore));
  }

  /**
   * Not while a plan is active: peers that come one after the other would be written one by one.
   */
  @Override
  public void record(NodeReconcile reconcile) {
    if (PeerSelection.looksElsewhere(reconcile.node())) {
      reconcile.recheckAfter(CONSENT_CHECK);
    }
    TaskPlan plan = reconcile.status().plan();
    if (plan == null || !plan.isActive()) {
      List<String> addresses = reconcile.snapshot().peers().addresses();
      reconcile.update(status -> status.withResolvedPeers(addresses.isEmpty() ? null : addresses));
    }
  }
}
