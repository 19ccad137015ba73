package io.sei.operator.node.config;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.Archive;
import io.sei.operator.api.v1alpha1.FullNode;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.Replayer;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeSpecBuilder;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.SnapshotGeneration;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.feature.ConfigFiles;
import io.sei.operator.node.feature.ConfigParts;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.PeerSources;
import io.sei.operator.node.feature.PlanShape;
import io.sei.operator.plan.Step;
import io.sei.operator.render.ConfigHash;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ConfigApplyTest {

  private static final Snapshot S3 =
      new Snapshot(new Snapshot.S3(1000L), null, "9999h0m0s", 5L, null);
  private static final Snapshot STATE_SYNC =
      new Snapshot(null, new Snapshot.StateSync(), null, null, null);
  private static final SnapshotGeneration PUBLISHING =
      new SnapshotGeneration(
          new SnapshotGeneration.Tendermint(5, new SnapshotGeneration.Publish()));
  private static final List<PeerSource> STATIC =
      List.of(
          new PeerSource(
              null,
              new PeerSource.StaticPeers(
                  List.of(
                      "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h:1",
                      "e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@h:2")),
              null));
  private static final List<PeerSource> EC2 =
      List.of(new PeerSource(new PeerSource.Ec2Tags("eu-1", Map.of("Chain", "x")), null, null));

  private static final String GENESIS = "configure-genesis";
  private static final String VALIDATE = "config-validate";

  static Stream<Arguments> fullNodes() {
    return Stream.of(
        row("full", full(null), GENESIS, apply("full", ""), VALIDATE),
        row(
            "full, S3",
            full(S3),
            GENESIS,
            "snapshot-restore {'targetHeight':1000}",
            apply("full", ""),
            "configure-state-sync"
                + " {'useLocalSnapshot':true,'trustPeriod':'9999h0m0s','backfillBlocks':5}",
            VALIDATE),
        row(
            "full, state sync, peers",
            full(STATE_SYNC).withPeers(STATIC),
            GENESIS,
            apply("full", ""),
            "discover-peers"
                + " {'sources':[{'type':'static','addresses':['86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h:1','e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@h:2']}]}",
            "configure-state-sync {}",
            VALIDATE),
        row(
            "full, publishing",
            base().fullNode(new FullNode(null, PUBLISHING)).build(),
            GENESIS,
            "config-apply {'mode':'full','incremental':false,'targetVersion':0,'overrides':{"
                + "'chain.min_retain_blocks':'50000','logging.level':'info',"
                + "'network.p2p.max_connections':'500','network.p2p.recv_rate':'20971520',"
                + "'network.p2p.send_rate':'20971520','storage.pruning_keep_every':'0',"
                + "'storage.pruning_keep_recent':'50000','storage.snapshot_interval':'2000',"
                + "'storage.snapshot_keep_recent':'5'}}",
            VALIDATE,
            "snapshot-upload"));
  }

  static Stream<Arguments> otherNodes() {
    return Stream.of(
        row(
            "archive",
            base().archive(new Archive(null)).build().withPeers(EC2),
            GENESIS,
            apply("archive", ""),
            "discover-peers {'sources':[{'type':'ec2Tags','region':'eu-1','tags':{'Chain':'x'}}]}",
            VALIDATE),
        row(
            "archive with snapshots",
            base()
                .archive(
                    new Archive(new SnapshotGeneration(new SnapshotGeneration.Tendermint(3, null))))
                .build(),
            GENESIS,
            apply(
                "archive",
                ",'storage.snapshot_interval':'2000','storage.snapshot_keep_recent':'3'"),
            VALIDATE),
        row(
            "replayer",
            base().replayer(new Replayer(S3, null)).peers(STATIC).build(),
            GENESIS,
            "snapshot-restore {'targetHeight':1000}",
            apply(
                "full",
                ",'storage.state_commit.async_commit_buffer':'100',"
                    + "'storage.state_commit.memiavl.snapshot_keep_recent':'2',"
                    + "'storage.state_commit.memiavl.snapshot_min_time_interval':'3600'"),
            "discover-peers"
                + " {'sources':[{'type':'static','addresses':['86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h:1','e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@h:2']}]}",
            "configure-state-sync"
                + " {'useLocalSnapshot':true,'trustPeriod':'9999h0m0s','backfillBlocks':5}",
            VALIDATE),
        row(
            "validator",
            base()
                .validator(new Validator(STATE_SYNC, null, null, null, null, null, null, null))
                .externalAddress("v.example:26656")
                .build(),
            GENESIS,
            apply("validator", ",'network.p2p.external_address':'v.example:26656'"),
            "configure-state-sync {}",
            VALIDATE));
  }

  static Stream<Arguments> overrides() {
    return Stream.of(
        row(
            "the user's overrides win",
            full(null)
                .withExternalAddress("x:1")
                .withPeers(STATIC)
                .withOverrides(
                    Map.of(
                        "logging.level", "debug",
                        "mempool.size", "10",
                        "network.p2p.external_address", "y:2",
                        "network.p2p.persistent_peers",
                            "84a516841ba77a5b4648de2cd0dfcb30ea46dbb4@h:3")),
            GENESIS,
            "config-apply {'mode':'full','incremental':false,'targetVersion':0,'overrides':{"
                + "'logging.level':'debug','mempool.size':'10',"
                + "'network.p2p.external_address':'y:2','network.p2p.persistent_peers':'84a516841ba77a5b4648de2cd0dfcb30ea46dbb4@h:3'}}",
            VALIDATE));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"fullNodes", "otherNodes", "overrides"})
  void leadsFromAnEmptyVolumeToANodeThatMayStart(
      String name, SeiNodeSpec spec, List<String> steps) {
    assertThat(text(ofSidecar(spec))).isEqualTo(steps);
  }

  @Test
  void patchSetsKeysInTheFilesThatAreThere() {
    SeiNodeSpec spec = full(S3).withPeers(STATIC).withOverrides(Map.of("mempool.size", "10"));

    assertThat(text(patch(spec, applied(full(null)), ConfigFiles.REPLACED)))
        .isEqualTo(
            json(
                "config-apply {'mode':'full','incremental':true,'targetVersion':0,"
                    + "'overrides':{'logging.level':'info','mempool.size':'10'}}"));
    assertThat(PeerSources.step(spec).map(ConfigApplyTest::text))
        .contains(
            json(
                "discover-peers"
                    + " {'sources':[{'type':'static','addresses':['86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h:1','e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@h:2']}]}"));
  }

  @Test
  void patchWritesTheFilesAnewWhenAKeyIsNoLongerAskedFor() {
    for (SeiNodeSpec before :
        List.of(
            full(null).withOverrides(Map.of("mempool.size", "10")),
            full(null).withExternalAddress("x:1"),
            full(null).withPeers(STATIC),
            base().fullNode(new FullNode(null, PUBLISHING)).build())) {
      assertThat(text(patch(full(null), applied(before), ConfigFiles.REPLACED)))
          .isEqualTo(json(apply("full", "")));
    }
  }

  @Test
  void filesInWhichStateSyncMayBeConfiguredAreNotWrittenAnew() {
    SeiNodeSpec spec = full(STATE_SYNC);
    AppliedConfig before = applied(spec.withOverrides(Map.of("mempool.size", "10")));

    assertThat(text(ConfigApply.whole(spec, parts(spec), ConfigFiles.KEPT)))
        .isEqualTo(json(apply("full", "").replace("false", "true")));
    assertThat(text(patch(spec, before, ConfigFiles.KEPT)))
        .isEqualTo(json(apply("full", "").replace("false", "true")));
    assertThat(ConfigPatch.left(parts(spec), before)).containsExactly("mempool.size");
  }

  @Test
  void filesOfAnEarlierNodeAreWrittenAnewOnceTheyNeedNotBeKept() {
    SeiNodeSpec spec = full(STATE_SYNC);
    AppliedConfig inherited = applied(spec).withInherited(true);

    assertThat(text(patch(spec, inherited, ConfigFiles.REPLACED)))
        .isEqualTo(json(apply("full", "")));
    assertThat(text(patch(spec, inherited, ConfigFiles.KEPT)))
        .isEqualTo(json(apply("full", "").replace("false", "true")));
  }

  @Test
  void whatBecomesOfFilesIsLeftOpenWhereOnlyTheSidecarKnows() {
    SeiNodeSpec spec = full(STATE_SYNC);
    JsonNode params = ConfigApply.whole(spec, parts(spec), ConfigFiles.UNDECIDED).params();

    assertThat(ConfigApply.isUndecided(params)).isTrue();
    for (boolean kept : List.of(true, false)) {
      JsonNode decided = ConfigApply.decided(params, kept);
      assertThat(ConfigApply.isUndecided(decided)).isFalse();
      assertThat(decided.path("incremental").asBoolean()).isEqualTo(kept);
    }
  }

  @Test
  void patchOfANodeThatWasTakenOverLeavesItsFiles() {
    assertThat(text(patch(full(null), null, ConfigFiles.REPLACED)))
        .contains("\"incremental\":true");
    assertThat(
            text(
                patch(
                    full(null),
                    new AppliedConfig("c1:0", null, null, null, null, null),
                    ConfigFiles.REPLACED)))
        .contains("\"incremental\":true");
  }

  private static AppliedConfig applied(SeiNodeSpec spec) {
    return new AppliedConfig(
        ConfigHash.of(spec), Instant.EPOCH, parts(spec).keys(), null, null, null);
  }

  private static Step patch(SeiNodeSpec spec, AppliedConfig applied, ConfigFiles files) {
    ConfigParts parts = parts(spec);
    parts.files(files);
    return ConfigApply.patch(spec, parts, applied);
  }

  private static ConfigParts parts(SeiNodeSpec spec) {
    return new Configuration(OfflineNode.POD_FEATURES, null).parts(snapshot(spec), PlanShape.INIT);
  }

  private static SeiNodeSpec full(Snapshot view) {
    return base().fullNode(new FullNode(view, null)).build();
  }

  private static SeiNodeSpecBuilder base() {
    return SeiNodeSpecBuilder.builder().chainId("atlantic-2").image("sei:a");
  }

  private static String apply(String mode, String more) {
    return "config-apply {'mode':'%s','incremental':false,'targetVersion':0,'overrides':{'logging.level':'info'%s}}"
        .formatted(mode, more);
  }

  private static Arguments row(String name, SeiNodeSpec spec, String... steps) {
    return Arguments.of(name, spec, Stream.of(steps).map(ConfigApplyTest::json).toList());
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }

  /** Returns the tasks of a new node's sidecar before mark-ready. */
  private static List<Step> ofSidecar(SeiNodeSpec spec) {
    return OfflineNode.PLANS.of(PlanKind.INIT, snapshot(spec)).tasks().stream()
        .dropWhile(step -> !step.type().equals(GENESIS))
        .takeWhile(step -> !step.type().equals("mark-ready"))
        .toList();
  }

  private static NodeView snapshot(SeiNodeSpec spec) {
    SeiNode node = aNode("sei:a").spec(spec).build();
    return aNode(node).view();
  }

  private static List<String> text(List<Step> steps) {
    return steps.stream().map(ConfigApplyTest::text).toList();
  }

  private static String text(Step step) {
    return step.type() + (step.params() == null ? "" : " " + step.params());
  }
}
