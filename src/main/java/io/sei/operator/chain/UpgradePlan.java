package io.sei.operator.chain;

import java.util.Optional;

/**
 * The upgrade that a chain has planned; x/upgrade plans one at a time.
 *
 * @param name 1 to 64 characters without control characters, as a spec can list it
 * @param height at least 1
 * @param minor whether its image may run before the height, as Sei's seid allows for a plan whose
 *     info says {@code "upgradeType": "minor"}
 */
public record UpgradePlan(String name, long height, boolean minor) {

  /**
   * Returns why an entry that is marked {@code early} waits for the height; empty if it need not.
   */
  public Optional<String> whyNotEarly() {
    return minor
        ? Optional.empty()
        : Optional.of(
            "the chain does not plan upgrade \"%s\" as a minor release: its image cannot run before height %d; remove early from its entry in spec.upgrades"
                .formatted(name, height));
  }
}
