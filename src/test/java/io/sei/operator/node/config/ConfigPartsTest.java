package io.sei.operator.node.config;

import static io.sei.operator.testkit.SidecarWork.after;
import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PodSample.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.ConfigValue;
import io.sei.operator.api.v1alpha1.Freeze;
import io.sei.operator.api.v1alpha1.PeerSource;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Snapshot;
import io.sei.operator.api.v1alpha1.SnapshotGeneration;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.feature.ConfigParts;
import io.sei.operator.node.feature.NodePass;
import io.sei.operator.node.feature.NodeView;
import io.sei.operator.node.feature.PlanShape;
import io.sei.operator.node.feature.SidecarWork;
import io.sei.operator.plan.Step;
import io.sei.operator.testkit.SidecarHome;
import io.sei.operator.testkit.SidecarVersion;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ConfigPartsTest {

  private static final Map<String, SidecarWork> WORK =
      OfflineNode.OPERATIONS.sidecarTasks().stream()
          .collect(Collectors.toMap(SidecarWork::type, Function.identity()));

  private static final List<PeerSource> PEERS =
      List.of(
          new PeerSource(
              null,
              new PeerSource.StaticPeers(
                  List.of(
                      "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h:1",
                      "e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@i:2")),
              null));

  private static final ConfigValue VALUE =
      new ConfigValue("app.toml", "giga.workers", IntNode.valueOf(16));

  private static final ConfigValue BACKEND =
      new ConfigValue("app.toml", "state-store.ss-backend", TextNode.valueOf("rocksdb"));

  /** A key that is dropped, so that the files have to be written again. */
  private static final String DROPPED = "storage.state_commit.async_commit_buffer";

  private static final Part STATE_SYNC =
      new Part(
          "state sync",
          spec ->
              spec.withPeers(PEERS)
                  .withFullNode(
                      spec.fullNode()
                          .withSnapshot(
                              new Snapshot(null, new Snapshot.StateSync(), null, null, null))),
          home -> home.settings().get("state_sync.enable"),
          "true");

  private static final List<Part> PARTS =
      List.of(
          STATE_SYNC,
          new Part(
              "override",
              spec -> override(spec, "mempool.size"),
              home -> home.settings().get("mempool.size"),
              "10"),
          new Part(
              "values",
              spec -> spec.withConfigValues(List.of(VALUE)),
              home -> home.setting("app.toml", "giga.workers").orElse(""),
              "16.0"),
          new Part(
              "peers",
              spec -> spec.withPeers(PEERS),
              home -> String.join(",", home.peers()),
              "86f7e437faa5a7fce15d1ddcb9eaeaea377667b8@h:1,e9d71f5ee7c92d6dc9e92ffdad17b8bd49418f98@i:2"),
          new Part(
              "external address",
              spec -> spec.withExternalAddress("x:1"),
              home -> home.settings().get("network.p2p.external_address"),
              "x:1"),
          new Part(
              "snapshots for others",
              spec ->
                  spec.withFullNode(
                      spec.fullNode()
                          .withSnapshotGeneration(
                              new SnapshotGeneration(new SnapshotGeneration.Tendermint(5, null)))),
              home -> home.settings().get("storage.snapshot_keep_recent"),
              "5"),
          // Not with all of them by the CRD's rules, but in the files they do not meet.
          new Part(
              "freeze",
              spec -> spec.withFullNode(spec.fullNode().withFreeze(new Freeze(100L))),
              home -> home.setting("app.toml", "freeze-height").orElse(""),
              "100.0"));

  /** Need of a feature in the files: the spec that asks for it, and the way to see it there. */
  private record Part(
      String name,
      UnaryOperator<SeiNodeSpec> asked,
      Function<SidecarHome, String> seen,
      String value) {}

  static Stream<Arguments> pairs() {
    return IntStream.range(0, PARTS.size())
        .boxed()
        .flatMap(one -> PARTS.stream().skip(one + 1L).map(other -> pair(PARTS.get(one), other)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pairs")
  void filesThatAreWrittenAgainLoseNothing(String name, Part one, Part other) {
    SeiNodeSpec spec = other.asked().apply(one.asked().apply(aNode("sei:a").build().getSpec()));
    NodeView first = snapshot(override(spec, DROPPED), SeiNodeStatus.empty());
    SidecarHome home = carriedOut(PlanKind.INIT, first, SidecarHome.EMPTY);
    AppliedConfig applied = applied(PlanKind.INIT, first, null);
    assertHas(home, one, other);

    NodeView syncing = snapshot(spec, aNode("sei:a").running().status().withConfig(applied));
    home = carriedOut(PlanKind.CONFIG, syncing, home);
    applied = applied(PlanKind.CONFIG, syncing, applied);

    assertHas(home, one, other);
    boolean kept = one.equals(STATE_SYNC);
    assertThat(home.settings().containsKey(DROPPED)).isEqualTo(kept);
    assertThat(applied.keysLeft()).isEqualTo(kept ? List.of(DROPPED) : null);

    NodeView synced =
        snapshot(spec, aNode("sei:a").running().status().withConfig(applied).withSyncedAt(NOW));
    home = carriedOut(PlanKind.CONFIG, synced, home);

    // The node has its state: what it was synced with is not needed any more.
    assertHas(
        home, Stream.of(one, other).filter(part -> !part.equals(STATE_SYNC)).toArray(Part[]::new));
    assertThat(home.settings()).doesNotContainKey(DROPPED);
  }

  static Stream<Arguments> backends() {
    return Stream.of(
            Arguments.of(
                "a value",
                (UnaryOperator<SeiNodeSpec>)
                    spec ->
                        spec.withConfigValues(
                            Stream.concat(
                                    Stream.ofNullable(spec.configValues()).flatMap(List::stream),
                                    Stream.of(BACKEND))
                                .toList())),
            Arguments.of(
                "an override",
                (UnaryOperator<SeiNodeSpec>)
                    spec -> override(spec, "storage.state_store.backend", "rocksdb")))
        .flatMap(
            backend ->
                PARTS.stream().map(part -> Arguments.of(backend.get()[0], backend.get()[1], part)));
  }

  /** With another backend seid finds no store, and begins an empty one beside the old. */
  @ParameterizedTest(name = "{0}, {2}")
  @MethodSource("backends")
  void noConfigurationChangesTheBackendOfTheStore(
      String name, UnaryOperator<SeiNodeSpec> backend, Part part) {
    SeiNodeSpec plain = aNode("sei:a").build().getSpec();
    SidecarHome home = SidecarHome.EMPTY;
    AppliedConfig applied = null;
    for (SeiNodeSpec spec :
        List.of(
            override(part.asked().apply(plain), DROPPED),
            part.asked().apply(plain),
            plain,
            part.asked().apply(plain),
            override(plain, DROPPED))) {
      PlanKind kind = applied == null ? PlanKind.INIT : PlanKind.CONFIG;
      SeiNodeStatus status =
          applied == null
              ? SeiNodeStatus.empty()
              : aNode("sei:a").running().status().withConfig(applied).withSyncedAt(NOW);
      NodeView next = snapshot(backend.apply(spec), status);

      home = carriedOut(kind, next, home);
      applied = applied(kind, next, applied);

      assertThat(home.setting("app.toml", "state-store.ss-backend")).contains("rocksdb");
    }
  }

  @Test
  void keyIsOneFeatures() {
    var parts = new ConfigParts(PlanShape.CONFIG);
    parts.set("a.b", "1");
    parts.setLater("a.c");

    assertThatThrownBy(() -> parts.setLater("a.b")).hasMessage("two features set a.b");
    assertThatThrownBy(() -> parts.set("a.c", "1")).hasMessage("two features set a.c");

    parts.set(VALUE);

    assertThatThrownBy(() -> parts.set(VALUE)).hasMessage("two features set app.toml:giga.workers");
  }

  @Test
  void userHasTheLastWord() {
    var parts = new ConfigParts(PlanShape.CONFIG);
    parts.override(Map.of("a.b", "2"));
    parts.set("a.b", "1");

    assertThat(parts.overrides()).isEqualTo(Map.of("a.b", "2"));

    var other = new ConfigValue(VALUE.fileName(), VALUE.key(), IntNode.valueOf(8));
    parts.values(List.of(other));
    parts.set(VALUE);

    assertThat(parts.values()).containsExactly(VALUE, other);
  }

  /** The home after all that a plan asks of the sidecar. */
  private static SidecarHome carriedOut(PlanKind kind, NodeView view, SidecarHome before) {
    SidecarHome home = before;
    for (Step step : OfflineNode.PLANS.of(kind, view).tasks()) {
      SidecarWork work = WORK.get(step.type());
      if (work != null) {
        Step request = work.request().apply(step.params(), new NodePass(view));
        home = after(SidecarVersion.V0_0_70, home, request.type(), request.params());
      }
    }
    return home;
  }

  private static AppliedConfig applied(PlanKind kind, NodeView view, AppliedConfig before) {
    return ConfigRecord.after(
        OfflineNode.PLANS.of(kind, view).supersede(null, OfflineNode.ENGINE::traits, "p", 0, NOW),
        before,
        NOW);
  }

  private static void assertHas(SidecarHome home, Part... parts) {
    for (Part part : parts) {
      assertThat(part.seen().apply(home)).as(part.name()).isEqualTo(part.value());
    }
  }

  private static NodeView snapshot(SeiNodeSpec spec, SeiNodeStatus status) {
    SeiNode node = aNode("sei:a").spec(spec).build();
    return aNode(node).status(status).withPod(aPod(aNode("sei:a"))).view();
  }

  private static SeiNodeSpec override(SeiNodeSpec spec, String key) {
    return override(spec, key, "10");
  }

  private static SeiNodeSpec override(SeiNodeSpec spec, String key, String value) {
    var overrides = new TreeMap<>(Optional.ofNullable(spec.overrides()).orElse(Map.of()));
    overrides.put(key, value);
    return spec.withOverrides(overrides);
  }

  private static Arguments pair(Part one, Part other) {
    return Arguments.of(one.name() + ", " + other.name(), one, other);
  }
}
