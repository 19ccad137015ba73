package io.sei.operator.node.sync;

import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.config.BucketsConfig;
import io.sei.operator.config.BucketsConfig.Bucket;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.render.NodeMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Buckets that a spec needs and that are not configured. The sidecar would learn so from S3, hours
 * after the pod started, in words that name another variable.
 */
public final class NeededBuckets {

  /** Their genesis is built into every sidecar from v0.0.50 to v0.0.70. */
  private static final Set<String> EMBEDDED = Set.of("pacific-1", "atlantic-2", "arctic-1");

  private NeededBuckets() {}

  /** The fields that need one; empty for a node that has run, which has what it needed. */
  public static List<FieldError> missing(SeiNode node, BucketsConfig buckets) {
    var errors = new ArrayList<FieldError>();
    if (NodeView.statusOf(node).phase() == NodePhase.RUNNING) {
      return errors;
    }
    SeiNodeSpec spec = node.getSpec();
    boolean isGiven = EMBEDDED.contains(spec.chainId()) || spec.givenGenesis().isPresent();
    if (!isGiven && !isNamed(buckets.genesis())) {
      errors.add(
          error(
              "spec.chainId",
              "the genesis of " + spec.chainId() + " is not built into the sidecar",
              "SEI_GENESIS"));
    }
    if (spec.initialSnapshot().map(Snapshot::s3).isPresent() && !isNamed(buckets.snapshot())) {
      errors.add(
          error(
              mode(spec) + ".snapshot.s3",
              "no bucket to restore from is configured",
              "SEI_SNAPSHOT"));
    }
    if (BucketSnapshots.arePublished(spec) && !isNamed(buckets.snapshot())) {
      errors.add(
          error(
              mode(spec) + ".snapshotGeneration.tendermint.publish",
              "no bucket to upload to is configured",
              "SEI_SNAPSHOT"));
    }
    return errors;
  }

  private static String mode(SeiNodeSpec spec) {
    return "spec."
        + switch (NodeMode.of(spec)) {
          case FULL -> "fullNode";
          case ARCHIVE -> "archive";
          case REPLAYER -> "replayer";
          case SEED -> "seed";
          case VALIDATOR -> "validator";
        };
  }

  private static boolean isNamed(Bucket bucket) {
    return bucket.name().isPresent() && bucket.region().isPresent();
  }

  private static FieldError error(String path, String what, String variable) {
    return new FieldError(
        path, "%s: set the operator's %s_BUCKET and %s_REGION".formatted(what, variable, variable));
  }
}
