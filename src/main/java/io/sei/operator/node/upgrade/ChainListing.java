package io.sei.operator.node.upgrade;

import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.chain.ChainState;
import io.sei.operator.chain.UpgradePlan;
import io.sei.operator.node.feature.NodeView;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * PURE: what the operator lists by {@code spec.upgradePolicy}. Only what two nodes report comes
 * onto the list or leaves it, and never what a panic says. All nodes of a chain in a namespace are
 * to run the same digest: who has none yet takes that of the others.
 */
final class ChainListing {

  private final NodeView view;
  private final SeiNodeSpec declared;
  private final ImageTemplates templates;
  private final Map<String, Set<String>> others;

  private ChainListing(NodeView view, Map<String, Set<String>> others) {
    this.view = view;
    this.declared = view.declared();
    this.templates = ImageTemplates.of(declared);
    this.others = others;
  }

  /**
   * The entries ahead, by height.
   *
   * @param others the images that other nodes of the chain have listed themselves, by upgrade
   */
  static List<UpgradeStatus> of(NodeView view, Map<String, Set<String>> others) {
    return new ChainListing(view, others).entries();
  }

  /**
   * Returns the reason for which an unlisted plan is not listed; empty without a policy, or if it
   * will be.
   */
  static Optional<String> why(NodeView view, UpgradePlan plan) {
    var listing = new ChainListing(view, Map.of());
    if (listing.templates.isEmpty()) {
      return Optional.empty();
    }
    if (listing.templates.images(plan.name()).isEmpty()) {
      return Optional.of("its name cannot be part of the tag of an image");
    }
    if (listing.isListed(ChainEntries.sought(plan.name(), plan.height(), ""))) {
      return Optional.of("another upgrade is listed at that height");
    }
    return view.chain().filter(ChainState::isWitnessed).isPresent()
        ? Optional.empty()
        : Optional.of("no second node reports it yet");
  }

  private List<UpgradeStatus> entries() {
    Map<String, UpgradeStatus> entries = new LinkedHashMap<>();
    Stream.concat(
            ChainEntries.ahead(view.stored())
                .filter(upgrade -> !isOver(upgrade))
                .map(this::rescheduled),
            agreed().map(plan -> ChainEntries.sought(plan.name(), plan.height(), "")).stream())
        .filter(upgrade -> !view.upgrades().has(upgrade.name()) && !isListed(upgrade))
        .filter(upgrade -> !templates.images(upgrade.name()).isEmpty())
        .forEach(upgrade -> entries.putIfAbsent(upgrade.name(), compared(placed(upgrade))));
    return entries.values().stream().sorted(Comparator.comparing(UpgradeStatus::height)).toList();
  }

  private boolean isListed(UpgradeStatus entry) {
    return ChainEntries.isListedIn(declared).test(entry);
  }

  /** Returns the plan of the chain on which two nodes agree. */
  private Optional<UpgradePlan> agreed() {
    return view.chain().filter(ChainState::isWitnessed).flatMap(ChainState::planned);
  }

  /**
   * Returns whether the node is past it, or two nodes that are not do not have it planned any more.
   * A node that has been through an upgrade has no plan either. A seid that halts at the height has
   * saved that block and not applied it (CometBFT, finalizeCommit), and its RPC may report it.
   */
  private boolean isOver(UpgradeStatus entry) {
    return view.height().filter(height -> height > entry.height()).isPresent()
        || view.chain()
            .filter(state -> state.isWitnessed() && state.height() < entry.height())
            .filter(state -> state.planned().filter(plan -> isOf(plan, entry)).isEmpty())
            .isPresent();
  }

  private UpgradeStatus rescheduled(UpgradeStatus entry) {
    return agreed()
        .filter(plan -> isOf(plan, entry))
        .map(plan -> entry.withHeight(plan.height()))
        .orElse(entry);
  }

  private static boolean isOf(UpgradePlan plan, UpgradeStatus entry) {
    return plan.name().equals(entry.name());
  }

  /** An image that no template names any more is looked for again. */
  private UpgradeStatus placed(UpgradeStatus entry) {
    List<String> images = templates.images(entry.name());
    return images.contains(ImageTemplates.tagged(entry.image()))
        ? entry
        : ChainEntries.sought(entry.name(), entry.height(), images.get(0));
  }

  private UpgradeStatus compared(UpgradeStatus entry) {
    List<String> images = templates.images(entry.name());
    Map<String, String> byDigest =
        others.getOrDefault(entry.name(), Set.of()).stream()
            .filter(text -> images.contains(ImageTemplates.tagged(text)))
            .filter(text -> ImageTemplates.digest(text).isPresent())
            .sorted()
            .collect(
                Collectors.toMap(
                    text -> ImageTemplates.digest(text).orElseThrow(),
                    text -> text,
                    (one, other) -> one,
                    LinkedHashMap::new));
    Optional<String> own = ChainEntries.digest(entry);
    if (own.isEmpty()) {
      // The whole image: the repository of another template may not have the digest.
      return byDigest.size() == 1
          ? ChainEntries.sought(entry.name(), entry.height(), byDigest.values().iterator().next())
          : entry;
    }
    byDigest.remove(own.get());
    return ChainEntries.isDisputed(entry) || byDigest.isEmpty()
        ? entry
        : entry.withPreviousImageID(byDigest.values().iterator().next());
  }
}
