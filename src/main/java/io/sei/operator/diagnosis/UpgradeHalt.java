package io.sei.operator.diagnosis;

import io.sei.operator.base.Text;
import java.util.List;
import java.util.Optional;

/**
 * PURE: proof in the log of a run of seid that it ended because it is not the binary for its data:
 * a panic that begins a line, and the trace that Go prints after it. A line that only quotes one
 * proves nothing, and neither does a log with panics about several upgrades: the value of a panic
 * may contain whatever a plan's info says.
 *
 * @param containerId the run
 * @param panic what the chain asks for
 * @param line the line
 */
public record UpgradeHalt(String containerId, UpgradePanic panic, String line) {

  private static final int MAX = 300;

  /** Returns the halt that a log, or its end, proves of the run that wrote it. */
  public static Optional<UpgradeHalt> in(String containerId, String log) {
    if (log == null) {
      return Optional.empty();
    }
    List<GoPanics.Block> blocks = GoPanics.in(log.lines().toList());
    if (blocks.isEmpty() || upgrades(blocks) != 1) {
      return Optional.empty();
    }
    GoPanics.Block last = blocks.get(blocks.size() - 1);
    return Optional.of(last)
        .filter(block -> block.traced() && block.isUnambiguous())
        .flatMap(block -> UpgradePanic.of(block.first()))
        .filter(panic -> panic.upgrade() != null)
        .filter(panic -> panic.kind() != UpgradePanic.Kind.NEEDED || panic.height() != null)
        .map(panic -> new UpgradeHalt(containerId, panic, Text.line(last.first(), MAX)));
  }

  private static long upgrades(List<GoPanics.Block> blocks) {
    return blocks.stream()
        .flatMap(block -> block.panics().stream())
        .flatMap(line -> UpgradePanic.of(line).stream())
        .distinct()
        .count();
  }
}
