package io.sei.operator.node.upgrade;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.chain.Release;
import io.sei.operator.chain.Releases;
import io.sei.operator.chain.SeidVersion;
import io.sei.operator.render.NodeMode;
import java.util.Optional;

/**
 * PURE: judges the image of an upgrade by the list of releases. A version that the list does not
 * have is named and changes nothing.
 *
 * @param isValidator whether the node is one
 */
record UpgradeImage(UpgradeStatus upgrade, Releases releases, boolean isValidator) {

  /** The image of an upgrade of a node. */
  static UpgradeImage of(SeiNode node, UpgradeStatus upgrade, Releases releases) {
    return new UpgradeImage(upgrade, releases, NodeMode.of(node.getSpec()) == NodeMode.VALIDATOR);
  }

  /** The version that the image was found to have; until it was inspected, that of its tag. */
  Optional<SeidVersion> version() {
    return upgrade.seidVersion() == null
        ? SeidVersion.ofImage(upgrade.image())
        : SeidVersion.parse(upgrade.seidVersion());
  }

  /** Returns why the node must not run the image, by its tag or by the version in it. */
  Optional<String> forbidden() {
    return releases
        .ban(upgrade.image(), isValidator)
        .or(this::banOfVersion)
        .map(
            ban ->
                "image %s of upgrade \"%s\" must not run%s: %s; list another image"
                    .formatted(
                        upgrade.image(),
                        upgrade.name(),
                        ban.nodes() == Releases.Nodes.VALIDATORS ? " on a validator" : "",
                        ban.why()));
  }

  private Optional<Releases.Image> banOfVersion() {
    return upgrade.seidVersion() == null
        ? Optional.empty()
        : releases.ban("seid:" + upgrade.seidVersion(), isValidator);
  }

  /** Returns why seid of the image does not get through the upgrade. */
  Optional<String> mismatch() {
    Optional<SeidVersion> version = version();
    Optional<String> plan = version.flatMap(releases::of).map(Release::plan);
    if (plan.isEmpty() || plan.get().equals(upgrade.name())) {
      return Optional.empty();
    }
    String first =
        releases
            .ofPlan(upgrade.name())
            .map(release -> ", such as seid %s".formatted(release.version()))
            .orElse("");
    return Optional.of(
        "image %s has seid %s, which is for upgrade \"%s\" and not for \"%s\"; list an image for \"%s\"%s"
            .formatted(
                upgrade.image(), version.get(), plan.get(), upgrade.name(), upgrade.name(), first));
  }

  /** Describes the upgrade with what its image contains. */
  String describe() {
    String named = "upgrade \"%s\" at height %d".formatted(upgrade.name(), upgrade.height());
    if (upgrade.seidVersion() == null) {
      return named;
    }
    boolean isKnown = version().flatMap(releases::of).isPresent();
    return "%s with seid %s%s"
        .formatted(named, upgrade.seidVersion(), isKnown ? "" : ", which no list of releases has");
  }
}
