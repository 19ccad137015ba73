package io.sei.operator.node.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.NodePhase;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.config.BucketsConfig;
import io.sei.operator.config.BucketsConfig.Bucket;
import io.sei.operator.node.ConfigTestCase;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NeededBucketsTest {

  private static final Bucket NONE = new Bucket(Optional.empty(), Optional.empty());
  private static final Bucket NAMED = new Bucket(Optional.of("b"), Optional.of("r"));
  private static final Bucket NO_REGION = new Bucket(Optional.of("b"), Optional.empty());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'fullNode':{} |",
        "'fullNode':{'snapshot':{'stateSync':{}}} |",
        "'fullNode':{'snapshot':{'s3':{'targetHeight':5}}} | spec.fullNode.snapshot.s3",
        "'replayer':{'snapshot':{'s3':{'targetHeight':5}}} | spec.replayer.snapshot.s3",
        "'validator':{'snapshot':{'s3':{'targetHeight':5}}} | spec.validator.snapshot.s3",
        "'archive':{'snapshotGeneration':{'tendermint':{'keepRecent':2,'publish':{}}}}"
            + " | spec.archive.snapshotGeneration.tendermint.publish"
      })
  void fieldThatNeedsABucketIsNamed(String mode, String path) {
    SeiNode node = node(mode);

    assertThat(missing(node, NONE)).isEqualTo(path == null ? List.of() : List.of(path));
    assertThat(missing(node, NO_REGION)).isEqualTo(path == null ? List.of() : List.of(path));
    assertThat(missing(node, NAMED)).isEmpty();
  }

  @Test
  void genesisOfAChainThatIsNotBuiltInNeedsABucket() {
    SeiNode node = node("'fullNode':{}");
    node.setSpec(node.getSpec().withChainId("sei-local"));

    assertThat(NeededBuckets.missing(node, buckets(NONE)))
        .containsExactly(
            new FieldError(
                "spec.chainId",
                "the genesis of sei-local is not built into the sidecar: set the operator's"
                    + " SEI_GENESIS_BUCKET and SEI_GENESIS_REGION"));
    assertThat(missing(node, NAMED)).isEmpty();
  }

  @Test
  void nodeThatHasRunNeedsNothing() {
    SeiNode node = node("'fullNode':{'snapshot':{'s3':{'targetHeight':5}}}");
    node.setStatus(SeiNodeStatus.empty().withPhase(NodePhase.RUNNING));

    assertThat(missing(node, NONE)).isEmpty();
  }

  private static List<String> missing(SeiNode node, Bucket bucket) {
    return NeededBuckets.missing(node, buckets(bucket)).stream().map(FieldError::path).toList();
  }

  private static BucketsConfig buckets(Bucket bucket) {
    return new BucketsConfig(bucket, bucket, NONE, Optional.empty());
  }

  private static SeiNode node(String mode) {
    SeiNodeSpec spec = ConfigTestCase.specOf(mode);
    var node = new SeiNode();
    node.setSpec(spec);
    return node;
  }
}
