package io.sei.operator.diagnosis;

import java.util.List;
import java.util.Optional;

/**
 * PURE: proof in the log of a run of seid that it ended because it is not the binary for its data:
 * a panic that begins a line, and the trace that Go prints after it. A line that only quotes one
 * proves nothing.
 *
 * @param containerId the run
 * @param panic what the chain asks for
 * @param line the line
 */
public record UpgradeHalt(String containerId, UpgradePanic panic, String line) {

  private static final String PANIC = "panic: ";

  /** Go indents a panic that came of recovering from another. */
  private static final String PANIC_AGAIN = "\t" + PANIC;

  /** How the panics of x/upgrade begin; another one may quote what a peer or a file says. */
  private static final List<String> OF_UPGRADES =
      List.of("UPGRADE \"", "BINARY UPDATED BEFORE TRIGGER", "Wrong app version ");

  private static final String TRACE = "goroutine ";

  private static final int MAX = 300;

  /** What a log, or the end of one, proves of the run that wrote it. */
  public static Optional<UpgradeHalt> in(String containerId, String log) {
    if (log == null) {
      return Optional.empty();
    }
    List<String> lines = log.lines().toList();
    for (int i = lines.size() - 1; i >= 0; i--) {
      String line = lines.get(i);
      boolean panics = line.startsWith(PANIC) || line.startsWith(PANIC_AGAIN);
      if (panics && hasTrace(lines.subList(i + 1, lines.size()))) {
        String words = line.strip().substring(PANIC.length());
        return UpgradePanic.in(line)
            .filter(panic -> OF_UPGRADES.stream().anyMatch(words::startsWith))
            .filter(panic -> panic.upgrade() != null)
            .filter(panic -> panic.kind() != UpgradePanic.Kind.NEEDED || panic.height() != null)
            .map(panic -> new UpgradeHalt(containerId, panic, OneLine.of(line.strip(), MAX)));
      }
    }
    return Optional.empty();
  }

  private static boolean hasTrace(List<String> after) {
    return after.stream().anyMatch(line -> line.startsWith(TRACE));
  }
}
