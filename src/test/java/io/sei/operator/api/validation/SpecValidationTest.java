package io.sei.operator.api.validation;

import static io.sei.operator.api.validation.SpecSamples.archive;
import static io.sei.operator.api.validation.SpecSamples.fullNode;
import static io.sei.operator.api.validation.SpecSamples.generation;
import static io.sei.operator.api.validation.SpecSamples.peer;
import static io.sei.operator.api.validation.SpecSamples.replayer;
import static io.sei.operator.api.validation.SpecSamples.s3;
import static io.sei.operator.api.validation.SpecSamples.stateSync;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Archive;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.Replayer;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.SnapshotGeneration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpecValidationTest {

  /** A rule: the spec that breaks it with the one error expected, and a neighbour that does not. */
  record Rule(String error, SeiNodeSpec breaks, SeiNodeSpec keeps) {
    @Override
    public String toString() {
      return error;
    }
  }

  static Stream<Rule> rules() {
    return Stream.of(topLevel(), peers(), modes(), snapshots()).flatMap(rules -> rules);
  }

  private static Stream<Rule> topLevel() {
    SeiNodeSpec ok = fullNode();
    return Stream.of(
        new Rule("spec.chainId: must not be empty", ok.withChainId(null), ok),
        new Rule("spec.chainId: must not be empty", ok.withChainId(""), ok),
        new Rule("spec.image: must not be empty", ok.withImage(null), ok.withImage("x")),
        new Rule("spec.image: must not be empty", ok.withImage(""), ok),
        new Rule(
            "spec.dataVolume.import.pvcName: must not be empty",
            ok.withDataVolume(imported(null)),
            ok.withDataVolume(new DataVolume(null, null))));
  }

  private static Stream<Rule> peers() {
    String union = "spec.peers[0]: exactly one of ec2Tags, static, or label must be set";
    var addresses = new PeerSource.StaticPeers(List.of("id@host:26656"));
    var label = new PeerSource.LabelPeers(Map.of("sei.io/chain", "pacific-1"), null);
    var tags = new PeerSource.Ec2Tags("eu-west-1", Map.of("Chain", "pacific-1"));
    SeiNodeSpec fromLabel = withPeer(new PeerSource(null, null, label));
    SeiNodeSpec fromTags = withPeer(new PeerSource(tags, null, null));
    SeiNodeSpec fromStatic = withPeer(new PeerSource(null, addresses, null));
    return Stream.of(
        new Rule(union, withPeer(new PeerSource(null, null, null)), fromTags),
        new Rule(union, withPeer(new PeerSource(null, addresses, label)), fromStatic),
        new Rule(
            "spec.peers[0]: must be set",
            fullNode().withPeers(Collections.singletonList(null)),
            fullNode().withPeers(List.of())),
        new Rule(
            "spec.peers[0].ec2Tags.region: must not be empty",
            withPeer(new PeerSource(new PeerSource.Ec2Tags("", tags.tags()), null, null)),
            fromTags),
        new Rule(
            "spec.peers[0].ec2Tags.tags: must not be empty",
            withPeer(new PeerSource(new PeerSource.Ec2Tags("eu-west-1", Map.of()), null, null)),
            fromTags),
        new Rule(
            "spec.peers[0].static.addresses: must not be empty",
            withPeer(new PeerSource(null, new PeerSource.StaticPeers(List.of()), null)),
            fromStatic),
        new Rule(
            "spec.peers[0].label.selector: must not be empty",
            withPeer(new PeerSource(null, null, new PeerSource.LabelPeers(null, "sei"))),
            fromLabel));
  }

  private static Stream<Rule> modes() {
    String union = "spec: exactly one of fullNode, archive, replayer, or validator must be set";
    String noPeers = "spec.peers: peers is required when replayer mode is set";
    SeiNodeSpec ok = replayer();
    return Stream.of(
        new Rule(union, fullNode().withFullNode(null), fullNode()),
        new Rule(union, fullNode().withArchive(new Archive(null)), archive(null)),
        new Rule(noPeers, ok.withPeers(null), ok),
        new Rule(noPeers, ok.withPeers(List.of()), ok),
        new Rule(
            "spec.replayer.snapshot: must be set", ok.withReplayer(new Replayer(null, null)), ok),
        new Rule(
            "spec.replayer.snapshot.s3: must be set: a replayer starts from a snapshot in S3",
            ok.withReplayer(new Replayer(stateSync(), null)),
            ok),
        new Rule(
            "spec.replayer.resultExport.shadowResult: must be set",
            ok.withReplayer(new Replayer(s3(1L), new Replayer.ResultExport(null))),
            ok.withReplayer(new Replayer(s3(1L), export("http://canonical:26657")))),
        new Rule(
            "spec.replayer.resultExport.shadowResult.canonicalRpc: must not be empty",
            ok.withReplayer(new Replayer(s3(1L), export(""))),
            ok));
  }

  private static Stream<Rule> snapshots() {
    SeiNodeSpec ok = fullNode();
    SeiNodeSpec full = with(s3(7L));
    String union = "spec.fullNode.snapshot: exactly one of s3 or stateSync must be set";
    return Stream.of(
        new Rule(union, with(new Snapshot(null, null, null, null, null)), with(stateSync())),
        new Rule(
            union,
            with(new Snapshot(new Snapshot.S3(1L), new Snapshot.StateSync(), null, null, null)),
            full),
        new Rule("spec.fullNode.snapshot.s3.targetHeight: must be set", with(s3(null)), full),
        new Rule(
            "spec.fullNode.snapshot.bootstrapImage: requires s3.targetHeight: it is the height up"
                + " to which the image replays",
            with(new Snapshot(null, new Snapshot.StateSync(), null, null, "seid:v5")),
            with(new Snapshot(new Snapshot.S3(5L), null, null, null, "seid:v5"))),
        new Rule(
            "spec.fullNode.snapshotGeneration.tendermint: must be set",
            ok.withFullNode(new FullNode(null, new SnapshotGeneration(null))),
            ok.withFullNode(new FullNode(null, generation(1, false)))),
        new Rule(
            "spec.archive.snapshotGeneration.tendermint: must be set",
            archive(new SnapshotGeneration(null)),
            archive(generation(1, false))),
        new Rule(
            "spec.archive.snapshotGeneration.tendermint.keepRecent: must be set",
            archive(generation(null, false)),
            archive(generation(1, false))),
        new Rule(
            "spec.archive.snapshotGeneration.tendermint.keepRecent: must be at least 2 when publish"
                + " is set",
            archive(generation(1, true)),
            archive(generation(2, true))));
  }

  @ParameterizedTest
  @MethodSource("rules")
  void enforcesTheRule(Rule rule) {
    assertThat(SpecValidation.validate("val", rule.breaks()))
        .extracting(FieldError::toString)
        .containsExactly(rule.error());
    assertThat(SpecValidation.validate("val", rule.keeps())).isEmpty();
  }

  @Test
  void specIsRequired() {
    assertThat(SpecValidation.validate("val", null))
        .containsExactly(new FieldError("spec", "must be set"));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 52})
  void nameMayHave(int length) {
    assertThat(SpecValidation.validate("x".repeat(length), fullNode())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "168h, true",
    "1h30m, true",
    "1.5h, true",
    "0, true",
    "'', true",
    "14d, false",
    "h, false",
    "1h-, false",
    "-1h, false"
  })
  void trustPeriodIsADurationThatTheSidecarCanRead(String period, boolean valid) {
    var snapshot = new Snapshot(null, new Snapshot.StateSync(), period, null, null);

    assertThat(SpecValidation.validate("val", with(snapshot)))
        .extracting(FieldError::path)
        .isEqualTo(valid ? List.of() : List.of("spec.fullNode.snapshot.trustPeriod"));
  }

  @ParameterizedTest
  @CsvSource({
    "a@h:1, true",
    "a@[::1]:26656, true",
    "h:1, false",
    "a@h, false",
    "'a@h:1,b@h:2', false"
  })
  void addressOfAPeerIsOne(String address, boolean valid) {
    var peers = new PeerSource(null, new PeerSource.StaticPeers(List.of(address)), null);

    assertThat(SpecValidation.validate("val", fullNode().withPeers(List.of(peers))))
        .extracting(FieldError::path)
        .isEqualTo(valid ? List.of() : List.of("spec.peers[0].static.addresses[0]"));
  }

  @Test
  void nameLeavesRoomForTheRevisionHash() {
    assertThat(SpecValidation.validate("x".repeat(53), fullNode()))
        .containsExactly(new FieldError("metadata.name", "must be at most 52 characters"));
    assertThat(SpecValidation.validate(null, fullNode()))
        .containsExactly(new FieldError("metadata.name", "must not be empty"));
  }

  @Test
  void reportsEveryBrokenRuleInTheOrderOfTheFields() {
    SeiNodeSpec spec = fullNode().withChainId("").withImage("").withFullNode(null);
    assertThat(SpecValidation.validate("val", spec))
        .extracting(FieldError::path)
        .containsExactly("spec.chainId", "spec.image", "spec");
  }

  private static DataVolume imported(String claim) {
    return new DataVolume(new DataVolume.Import(claim), null);
  }

  private static Replayer.ResultExport export(String rpc) {
    return new Replayer.ResultExport(new Replayer.ShadowResult(rpc));
  }

  private static SeiNodeSpec with(Snapshot snapshot) {
    return fullNode().withFullNode(new FullNode(snapshot, null));
  }

  private static SeiNodeSpec withPeer(PeerSource source) {
    return fullNode().withPeers(List.of(source, peer()));
  }
}
