package io.sei.operator.config;

import java.util.Optional;

/**
 * Leader election of the operator's replicas.
 *
 * @param enabled false where exactly one replica runs
 * @param leaseName name of the Lease
 * @param leaseNamespace its namespace; absent means the namespace of the operator's credentials
 */
public record LeaderElectionConfig(
    boolean enabled, String leaseName, Optional<String> leaseNamespace) {

  /** Returns the configuration for the replicas of a shard, which has a Lease of its own. */
  public LeaderElectionConfig of(Shard shard) {
    return shard.isPart()
        ? new LeaderElectionConfig(enabled, leaseName + "-" + shard.index(), leaseNamespace)
        : this;
  }
}
