package io.sei.operator.render;

import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.config.PodConfig;
import io.sei.operator.config.StorageConfig;
import java.util.Optional;

/** What a node does, and what the platform gives it for that. */
public enum NodeMode {
  FULL("node"),
  ARCHIVE("archive"),
  REPLAYER("replayer"),
  VALIDATOR("validator");

  private final String role;

  NodeMode(String role) {
    this.role = role;
  }

  /**
   * The mode a spec asks for. A spec that names none, which the schema refuses, counts as a full
   * node: labels and hashes must exist for a node whose spec is not valid.
   */
  public static NodeMode of(SeiNodeSpec spec) {
    if (spec.validator() != null) {
      return VALIDATOR;
    }
    if (spec.archive() != null) {
      return ARCHIVE;
    }
    return spec.replayer() != null ? REPLAYER : FULL;
  }

  /** Value of the label {@link Labels#ROLE}. */
  public String role() {
    return role;
  }

  /** The name that sei-config has for it: a replayer is a full node to it. */
  public String inSeiConfig() {
    return switch (this) {
      case VALIDATOR -> "validator";
      case ARCHIVE -> "archive";
      case FULL, REPLAYER -> "full";
    };
  }

  /**
   * Whether seid opens an RPC (26657) once it has started, and so can be asked for its height, its
   * chain and its readiness, and be a witness. What depends on that asks here.
   */
  public boolean servesRpc() {
    return switch (this) {
      case FULL, ARCHIVE, REPLAYER, VALIDATOR -> true;
    };
  }

  /** Class and size of the data volume. */
  public StorageConfig.Claim storage(OperatorConfig config) {
    return this == ARCHIVE ? config.storage().claimArchive() : config.storage().claim();
  }

  /** What seid requests where the spec does not say. */
  public PodConfig.Requests requests(OperatorConfig config) {
    return this == ARCHIVE ? config.pod().requestsArchive() : config.pod().requests();
  }

  /** The Karpenter node pool that pods are bound to. */
  public Optional<String> nodepool(OperatorConfig config) {
    return this == ARCHIVE ? config.pod().nodepoolArchive() : config.pod().nodepool();
  }
}
