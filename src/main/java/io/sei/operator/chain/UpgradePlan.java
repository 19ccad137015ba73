package io.sei.operator.chain;

/**
 * The upgrade that a chain has planned; x/upgrade plans one at a time.
 *
 * @param name 1 to 64 characters without control characters, as a spec can list it
 * @param height at least 1
 * @param minor whether its image may run before the height, as Sei's seid allows for a plan whose
 *     info says {@code "upgradeType": "minor"}
 */
public record UpgradePlan(String name, long height, boolean minor) {}
