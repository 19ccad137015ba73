package io.sei.operator.node.upgrade;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.BooleanNode;
import io.sei.operator.api.v1alpha1.ConfigValue;
import io.sei.operator.api.v1alpha1.Seed;
import io.sei.operator.chain.ReleaseReader;
import io.sei.operator.chain.Releases;
import io.sei.operator.chain.SeidVersion;
import io.sei.operator.testkit.samples.NodeSample;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Changes of releases, as far as they concern a node. */
class UpgradeChangesTest {

  private static final Releases BUILT_IN = ReleaseReader.builtIn();

  private static final Releases NEXT =
      BUILT_IN.with(
          ReleaseReader.read(
              """
              releases:
              - version: v6.9.0
                source: https://example.org
                minimumSidecar: v0.0.70
                migrations: [{name: a new store}]
                settings:
                - {in: app.toml, name: evm.needed, change: Required, value: "true"}
                - {in: app.toml, name: old, change: Removed}
                - {in: command line, name: --needed, change: Required}
              """));

  private static final String LIMITS =
      "evm.rate_limiting_enabled of app.toml is true by default,"
          + " rpc.rate-limiting-enabled of config.toml is true by default";

  static Stream<Arguments> rows() {
    NodeSample node = aNode("sei:v6.7.4");
    String changes = "with seid v6.8.0 port 9090 (gRPC) is gone, ";
    return Stream.of(
        row("a node that serves", BUILT_IN, node, null, "v6.8.0", changes + LIMITS),
        row(
            "a key that the spec sets",
            BUILT_IN,
            node.spec(spec -> spec.withConfigValues(List.of(value("evm.rate_limiting_enabled")))),
            null,
            "v6.8.0",
            changes + "rpc.rate-limiting-enabled of config.toml is true by default"),
        row(
            "a key that is no longer read",
            BUILT_IN,
            node.spec(spec -> spec.withConfigValues(List.of(value("grpc.enable")))),
            null,
            "v6.8.0",
            changes + "grpc of app.toml is no longer read, " + LIMITS),
        row("the version that runs counts", BUILT_IN, node, "v6.8.0-rc2", "v6.8.0", null),
        row("an image without a version", BUILT_IN, aNode("sei:a"), null, "v6.8.0", null),
        row("a version that is not known", BUILT_IN, node, null, "v6.9.0", null),
        row("back", BUILT_IN, aNode("sei:v6.8.0"), null, "v6.7.4", null),
        row(
            "what is required, and cannot be undone",
            NEXT,
            aNode("sei:v6.8.0"),
            null,
            "v6.9.0",
            "with seid v6.9.0 evm.needed of app.toml must be true, the data migrates to a new store"
                + " irreversibly, sidecar v0.0.50 is older than v0.0.70"),
        row(
            "what is gone and set",
            NEXT,
            aNode("sei:v6.8.0")
                .spec(
                    spec -> spec.withConfigValues(List.of(value("evm.needed"), value("old.key")))),
            null,
            "v6.9.0",
            "with seid v6.9.0 old of app.toml is gone, the data migrates to a new store"
                + " irreversibly, sidecar v0.0.50 is older than v0.0.70"),
        row(
            "a seed serves nothing",
            BUILT_IN,
            aNode("sei:v6.7.4").spec(spec -> spec.withFullNode(null).withSeed(new Seed(null))),
            null,
            "v6.8.0",
            null));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void changesThatConcernANode(
      String name, Releases list, NodeSample node, String running, String next, String expected) {
    var view = node.view().withSidecarImage("registry/seictl:v0.0.50");
    var changes =
        new UpgradeChanges(list, view, Optional.ofNullable(running).flatMap(SeidVersion::parse));

    assertThat(changes.describe(SeidVersion.parse(next).orElseThrow()).orElse(null))
        .isEqualTo(expected);
  }

  private static ConfigValue value(String key) {
    return new ConfigValue("app.toml", key, BooleanNode.TRUE);
  }

  private static Arguments row(
      String name, Releases list, NodeSample node, String running, String next, String expected) {
    return Arguments.of(name, list, node, running, next, expected);
  }
}
