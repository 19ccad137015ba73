package io.sei.operator.node.upgrade;

import io.fabric8.kubernetes.api.model.Pod;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeState;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.diagnosis.PodFacts;
import io.sei.operator.diagnosis.UpgradeHalt;
import io.sei.operator.diagnosis.UpgradePanic;
import io.sei.operator.node.feature.AppliedUpgrades;
import io.sei.operator.node.feature.NodeView;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;

/**
 * PURE: whether the image has to be switched, by what this node's own seid said when it halted on
 * the image that it is to run: never by a clock, a height, or another node. The one exception is an
 * entry that is marked early, of an upgrade that the chain plans as a minor release.
 */
final class UpgradeEvidence {

  private UpgradeEvidence() {}

  /**
   * The record of the switch: to the upgrade that the node has reached and that its spec lists with
   * another image than it runs, or back from one whose image came too early. It lacks the uid of
   * the claim.
   */
  static Optional<UpgradeStatus> of(NodeView view) {
    Optional<Pod> pod = view.livePod().filter(live -> runsWhatIsAskedFor(view, live));
    if (pod.isEmpty()) {
      return Optional.empty();
    }
    return view.halt().isPresent()
        ? view.halt()
            .flatMap(
                halt ->
                    halt.panic().kind() == UpgradePanic.Kind.TOO_EARLY
                        ? back(view, halt)
                        : onwards(view, halt))
        : pod.filter(PodFacts::isReady).flatMap(ready -> early(view));
  }

  private static boolean runsWhatIsAskedFor(NodeView view, Pod pod) {
    return view.imageOf(pod).equals(Optional.of(view.node().getSpec().image()));
  }

  /** Returns the first entry ahead, once the node is up to date and Ready. */
  private static Optional<UpgradeStatus> early(NodeView view) {
    SeiNodeSpec spec = view.node().getSpec();
    AppliedUpgrades applied = view.upgrades();
    boolean atRest = view.isRunning() && view.stored().plan() == null;
    return AppliedUpgrades.listed(spec)
        .filter(upgrade -> atRest && !applied.has(upgrade.name()))
        .filter(upgrade -> !view.stored().hasPassed(upgrade.name(), upgrade.height()))
        .min(Comparator.comparing(Upgrade::height))
        .filter(upgrade -> upgrade.runsEarly() && !applied.isWithdrawn(upgrade.name()))
        .filter(upgrade -> !upgrade.image().equals(spec.image()) && isMinor(view, upgrade))
        .map(
            upgrade ->
                view.reached(upgrade)
                    .evidence("a minor release, which may run before its height")
                    .build());
  }

  private static boolean isMinor(NodeView view, Upgrade entry) {
    return view.chain().filter(chain -> chain.plansMinor(entry.name())).isPresent();
  }

  private static Optional<UpgradeStatus> onwards(NodeView view, UpgradeHalt halt) {
    SeiNodeSpec spec = view.node().getSpec();
    AppliedUpgrades applied = view.upgrades();
    // Back and forth between two images that both refuse the data would never end.
    boolean onlyOnce = halt.panic().kind() == UpgradePanic.Kind.UNKNOWN_TO_BINARY;
    return AppliedUpgrades.listed(spec)
        .filter(upgrade -> Objects.equals(upgrade.name(), halt.panic().upgrade()))
        .filter(upgrade -> !applied.has(upgrade.name()) && !upgrade.image().equals(spec.image()))
        .filter(upgrade -> !onlyOnce || !applied.isWithdrawn(upgrade.name()))
        .findFirst()
        .map(upgrade -> applied(view, upgrade, halt));
  }

  /** An upgrade that seid itself asked for is never taken back. */
  private static Optional<UpgradeStatus> back(NodeView view, UpgradeHalt halt) {
    return view.upgrades()
        .last()
        .filter(upgrade -> upgrade.name().equals(halt.panic().upgrade()))
        .filter(upgrade -> !isOwnHalt(upgrade))
        .map(
            upgrade ->
                upgrade.with(
                    that ->
                        that.state(UpgradeState.SCHEDULED)
                            .evidence(halt.line())
                            .supersededImage(null)
                            .reachedAt(null)));
  }

  private static boolean isOwnHalt(UpgradeStatus applied) {
    return UpgradePanic.in(applied.evidence())
        .filter(panic -> panic.kind() == UpgradePanic.Kind.NEEDED)
        .isPresent();
  }

  private static UpgradeStatus applied(NodeView view, Upgrade listed, UpgradeHalt halt) {
    Long height = halt.panic().height();
    return view.reached(listed)
        .height(height == null ? listed.height() : height)
        .evidence(halt.line())
        .build();
  }
}
