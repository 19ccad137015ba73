package io.sei.operator.render;

import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.config.PodConfig;
import io.sei.operator.config.StorageConfig;
import java.util.Locale;
import java.util.Optional;

/** Role of a node, and the platform's defaults for it. */
public enum NodeMode {
  FULL("node"),
  ARCHIVE("archive"),
  REPLAYER("replayer"),
  SEED("seed"),
  VALIDATOR("validator");

  /** A seed has an address book and no blocks. Upstream gives it the same. */
  private static final String SEED_SIZE = "20Gi";

  private static final PodConfig.Requests SEED_REQUESTS = new PodConfig.Requests("1", "2Gi");

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
    if (spec.seed() != null) {
      return SEED;
    }
    return spec.replayer() != null ? REPLAYER : FULL;
  }

  /** Value of the label {@link Labels#ROLE}. */
  public String role() {
    return role;
  }

  /** Value of {@code status.mode}. */
  public String inStatus() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The name that sei-config has for it: a replayer is a full node to it. */
  public String inSeiConfig() {
    return switch (this) {
      case VALIDATOR -> "validator";
      case ARCHIVE -> "archive";
      case FULL, REPLAYER -> "full";
      case SEED -> "seed";
    };
  }

  /**
   * Returns whether seid opens an RPC (26657) once it has started, and so can be asked for its
   * height, its chain and its readiness, and be a witness. What depends on that asks here.
   */
  public boolean servesRpc() {
    return switch (this) {
      case FULL, ARCHIVE, REPLAYER, VALIDATOR -> true;
      case SEED -> false;
    };
  }

  /** Class and size of the data volume. */
  public StorageConfig.Claim storage(OperatorConfig config) {
    return switch (this) {
      case ARCHIVE -> config.storage().claimArchive();
      case FULL, REPLAYER, VALIDATOR -> config.storage().claim();
      case SEED -> new StorageConfig.Claim(config.storage().claim().storageClass(), SEED_SIZE);
    };
  }

  /** Requests of seid where the spec sets none. */
  public PodConfig.Requests requests(OperatorConfig config) {
    return switch (this) {
      case ARCHIVE -> config.pod().requestsArchive();
      case FULL, REPLAYER, VALIDATOR -> config.pod().requests();
      case SEED -> SEED_REQUESTS;
    };
  }

  /** The Karpenter node pool that pods are bound to. */
  public Optional<String> nodepool(OperatorConfig config) {
    return this == ARCHIVE ? config.pod().nodepoolArchive() : config.pod().nodepool();
  }
}
