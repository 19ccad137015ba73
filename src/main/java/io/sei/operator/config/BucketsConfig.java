package io.sei.operator.config;

import java.util.Optional;

/**
 * Object storage that sidecars read from and write to.
 *
 * @param snapshot state snapshots
 * @param genesis genesis files
 * @param resultExport results of replayers
 * @param resultExportPrefix key prefix of those results
 */
public record BucketsConfig(
    Bucket snapshot, Bucket genesis, Bucket resultExport, Optional<String> resultExportPrefix) {

  /** A bucket and the region it is in; empty where the user named none. */
  public record Bucket(Optional<String> name, Optional<String> region) {}
}
