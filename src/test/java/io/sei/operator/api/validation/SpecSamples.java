package io.sei.operator.api.validation;

import io.sei.operator.api.v1alpha1.Archive;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.Replayer;
import io.sei.operator.api.v1alpha1.Seed;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.SnapshotGeneration;
import io.sei.operator.api.v1alpha1.Validator;
import java.util.List;

/** Valid specs to bend. */
final class SpecSamples {

  private SpecSamples() {}

  static SeiNodeSpec fullNode() {
    return common().fullNode(new FullNode(null, null)).build();
  }

  static SeiNodeSpec archive(SnapshotGeneration generation) {
    return common().archive(new Archive(generation)).build();
  }

  static SeiNodeSpec replayer() {
    return common().peers(List.of(peer())).replayer(new Replayer(s3(100L), null)).build();
  }

  static SeiNodeSpec seed(String nodeKey) {
    var key = new Validator.NodeKey(new Validator.KeySecret(nodeKey));
    return common().seed(new Seed(key)).build();
  }

  static SeiNodeSpec validator(Validator validator) {
    return common().validator(validator).build();
  }

  static PeerSource peer() {
    return new PeerSource(
        null,
        new PeerSource.StaticPeers(List.of("87ea5dfc8b8e384d848979496e706390b497e547@host:26656")),
        null);
  }

  static Snapshot s3(Long targetHeight) {
    return new Snapshot(new Snapshot.S3(targetHeight), null, null, null, null);
  }

  static Snapshot stateSync() {
    return new Snapshot(null, new Snapshot.StateSync(), null, null, null);
  }

  static SnapshotGeneration generation(Integer keepRecent, boolean publish) {
    return new SnapshotGeneration(
        new SnapshotGeneration.Tendermint(
            keepRecent, publish ? new SnapshotGeneration.Publish() : null));
  }

  private static SeiNodeSpecBuilder common() {
    return SeiNodeSpecBuilder.builder().chainId("pacific-1").image("seid:v6");
  }
}
