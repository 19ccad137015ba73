package io.sei.operator.config;

import java.util.Optional;

/**
 * The claims of nodes.
 *
 * @param claim what a node gets
 * @param claimArchive what an archive node gets
 */
public record StorageConfig(Claim claim, Claim claimArchive) {

  /**
   * One kind of claim.
   *
   * @param storageClass absent means the cluster's default class
   * @param size a Kubernetes quantity of bytes
   */
  public record Claim(Optional<String> storageClass, String size) {}
}
