package io.sei.operator.node.upgrade;

import io.sei.operator.api.v1alpha1.ConfigValue;
import io.sei.operator.chain.Release;
import io.sei.operator.chain.Releases;
import io.sei.operator.chain.SeidVersion;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.render.Ports;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * PURE: changes of releases of seid that concern a node, from the version that it runs to that of
 * an upgrade.
 *
 * @param running version of the seid that runs; empty if it is unknown
 */
record UpgradeChanges(Releases releases, NodeView view, Optional<SeidVersion> running) {

  /** Describes the changes in a few words; empty if none is known to concern the node. */
  Optional<String> describe(SeidVersion next) {
    Optional<SeidVersion> from =
        running.or(() -> SeidVersion.ofImage(view.node().getSpec().image()));
    if (from.isEmpty()) {
      return Optional.empty();
    }
    String changes =
        releases.between(from.get(), next).stream()
            .flatMap(this::changes)
            .distinct()
            .collect(Collectors.joining(", "));
    return changes.isEmpty()
        ? Optional.empty()
        : Optional.of("with seid %s %s".formatted(next, changes));
  }

  private Stream<String> changes(Release release) {
    return Stream.of(
            release.ports().stream()
                .filter(port -> view.servesRpc() && Ports.isOfSeid(port.number()))
                .map(Release.Port::describe),
            release.settings().stream().filter(this::concerns).map(Release.Setting::describe),
            release.migrations().stream()
                .map(
                    migration ->
                        "the data migrates to %s irreversibly".formatted(migration.name())),
            sidecar(release).stream())
        .flatMap(changes -> changes);
  }

  /**
   * Returns whether a setting concerns the node. A default matters to nodes that serve, and not
   * where the spec has the key; the operator knows the flags that it sets.
   */
  private boolean concerns(Release.Setting setting) {
    boolean isSet =
        Stream.ofNullable(view.node().getSpec().configValues())
            .flatMap(List::stream)
            .anyMatch(value -> isOf(value, setting));
    return switch (setting.change()) {
      case ADDED -> false;
      case REMOVED, IGNORED -> isSet;
      case REQUIRED -> !isSet && !setting.in().equals(Release.Setting.COMMAND_LINE);
      case DEFAULT -> !isSet && view.servesRpc();
    };
  }

  private static boolean isOf(ConfigValue value, Release.Setting setting) {
    return value.fileName().equals(setting.in())
        && (value.key() + ".").startsWith(setting.name() + ".");
  }

  private Optional<String> sidecar(Release release) {
    if (release.minimumSidecar() == null) {
      return Optional.empty();
    }
    Optional<SeidVersion> oldest = SeidVersion.parse(release.minimumSidecar());
    return SeidVersion.ofImage(view.sidecarImage())
        .filter(sidecar -> oldest.isPresent() && sidecar.isBefore(oldest.get()))
        .map(sidecar -> "sidecar %s is older than %s".formatted(sidecar, oldest.get()));
  }
}
