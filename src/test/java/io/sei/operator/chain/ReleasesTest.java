package io.sei.operator.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads lists of seid's releases, and refuses invalid ones. */
class ReleasesTest {

  private static final Releases BUILT_IN = ReleaseReader.builtIn();

  @Test
  void everyReleaseFrom64To68HasASource() {
    assertThat(BUILT_IN.releases())
        .extracting(release -> release.version().toString())
        .startsWith("v6.4.0")
        .contains("v6.5.2", "v6.6.2", "v6.6.4", "v6.7.4")
        .endsWith("v6.8.0");
    assertThat(BUILT_IN.releases())
        .allSatisfy(release -> assertThat(release.source()).startsWith("https://github.com/"));
  }

  @ParameterizedTest
  @CsvSource({
    "v6.4.4, true",
    "v6.7.4, true",
    "v6.7.4-5-g0123abc, true",
    "v6.8.0-rc2, false",
    "v6.8.0, false",
    "v6.8.3, false"
  })
  void grpcIsServedBefore68(String version, boolean isServed) {
    assertThat(BUILT_IN.changedPorts()).containsExactlyInAnyOrder(9090, 9091);
    assertThat(BUILT_IN.servedPorts(version(version)))
        .isEqualTo(isServed ? Set.of(9090, 9091) : Set.of());
  }

  @Test
  void aPortIsServedFromTheReleaseThatAddsIt() {
    Releases list =
        ReleaseReader.read(
            """
            releases:
            - {version: v6.8.0, source: https://example.org}
            - version: v6.8.1
              source: https://example.org
              ports: [{number: 9191, name: stream, change: Added}]
            - version: v6.8.3
              source: https://example.org
              ports: [{number: 9191, name: stream, change: Removed}]
            """);
    assertThat(list.servedPorts(version("v6.8.0"))).isEmpty();
    assertThat(list.servedPorts(version("v6.8.1"))).containsOnly(9191);
    assertThat(list.servedPorts(version("v6.8.2"))).containsOnly(9191);
    assertThat(list.servedPorts(version("v6.8.4"))).isEmpty();
    Releases addedAgain =
        ReleaseReader.read(
            """
            releases:
            - version: v6.8.5
              source: https://example.org
              ports: [{number: 9191, name: stream, change: Added}]
            """);
    assertThat(list.removalOf(9191)).map(Release::version).contains(version("v6.8.3"));
    assertThat(list.with(addedAgain).removalOf(9191)).as("port that is back").isEmpty();
    assertThat(list.removalOf(9090)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "v6.7.4, v6.7.4",
    "v6.7.0-rc4, v6.7.0",
    "v6.7.9, v6.7.4",
    "v6.9.0, ",
    "v5.9.0, ",
    "v7.0.0, ",
  })
  void theReleaseThatAVersionIs(String version, String release) {
    assertThat(BUILT_IN.of(version(version)).map(found -> found.version().toString()).orElse(null))
        .isEqualTo(release);
  }

  @ParameterizedTest
  @CsvSource({
    "v6.7.2, v6.8.0, v6.7.3 v6.7.4 v6.8.0",
    "v6.7.4, v6.8.0-rc2, v6.8.0",
    "v6.8.0, v6.7.4, ''",
    "v6.8.0, v6.8.0, ''",
    "v6.7.4, v6.9.0, ''",
    "v5.9.0, v6.8.0, ''",
  })
  void releasesOfAnUpgrade(String from, String to, String releases) {
    assertThat(BUILT_IN.between(version(from), version(to)))
        .extracting(release -> release.version().toString())
        .isEqualTo(Stream.of(releases.split(" ")).filter(text -> !text.isEmpty()).toList());
  }

  @ParameterizedTest
  @CsvSource({
    "ghcr.io/sei-protocol/sei:v6.8.0, v6.8.0",
    "ghcr.io/sei-protocol/sei:v6.8.0-rc2, v6.8.0-rc2",
    "registry:5000/sei:6.7.4@sha256:0123, v6.7.4",
    "sei:v6.7.0-memiavl-reserve, v6.7.0-memiavl-reserve",
    "registry:5000/sei, ",
    "registry/v6.8.0/sei, ",
    "sei@sha256:0123, ",
    "sei:latest, ",
    "sei:v6.8, ",
  })
  void theTagOfAnImageNamesAVersion(String image, String version) {
    assertThat(SeidVersion.ofImage(image).map(SeidVersion::toString).orElse(null))
        .isEqualTo(version);
  }

  @ParameterizedTest
  @CsvSource({
    "sei:mock_balances, true, true",
    "sei:mock_chain_validation-v6.8.0, true, true",
    "sei:v6.7.0-memiavl-reserve, false, true",
    "sei:v6.7.0-memiavl-reserve-2, false, true",
    "mock_/sei:v6.7.0, false, false",
    "sei:v6.8.0, false, false",
    "sei@sha256:0123, false, false",
  })
  void imagesThatMustNotRun(String image, boolean onFullNode, boolean onValidator) {
    assertThat(BUILT_IN.ban(image, false).isPresent()).isEqualTo(onFullNode);
    assertThat(BUILT_IN.ban(image, true).isPresent()).isEqualTo(onValidator);
  }

  @Test
  void aPatternThatARegularExpressionWouldTryForEverIsCompared() {
    Releases list =
        ReleaseReader.read("images: [{tag: '%sb', nodes: All, why: x}]".formatted("*a".repeat(60)));

    assertThat(list.ban("sei:" + "a".repeat(128), false)).isEmpty();
    assertThat(list.ban("sei:" + "a".repeat(60) + "b", false)).isPresent();
  }

  @Test
  void anotherListExtendsAndOverrides() {
    Releases list =
        BUILT_IN.with(
            ReleaseReader.read(
                """
                releases:
                - {version: v6.8.0, source: https://example.org/a, plan: v6.8}
                - {version: v6.9.0, source: https://example.org/b, plan: v6.9}
                images:
                - {tag: "mock_*", nodes: None, why: this is a test network}
                - {tag: v6.7.2, nodes: All, why: withdrawn}
                """));

    assertThat(list.releases()).hasSize(BUILT_IN.releases().size() + 1);
    assertThat(list.servedPorts(version("v6.8.0"))).isEmpty();
    assertThat(list.changedPorts()).isEmpty();
    assertThat(list.ofPlan("v6.9")).isPresent();
    assertThat(list.ban("sei:mock_balances", true)).isEmpty();
    assertThat(list.ban("sei:v6.7.2", false)).isPresent();
    assertThat(list.ban("sei:v6.7.0-memiavl-reserve", true)).isPresent();
  }

  @Test
  void theExampleOfThePageIsAList() throws IOException {
    String page = Files.readString(Path.of("docs", "releases.md"));
    String example = page.split("releases.yaml: \\|\n")[1].split("```")[0].stripIndent();

    Releases list = ReleaseReader.read(example);

    assertThat(list.releases())
        .singleElement()
        .matches(release -> release.minimumSidecar() != null);
    assertThat(list.images()).hasSize(1);
  }

  static Stream<Arguments> whatIsNoList() {
    String release = "releases:\n- version: v6.9.0\n  source: https://example.org\n";
    return Stream.of(
        bad("", "it is empty"),
        bad(" \n", "it is empty"),
        bad("{}", "neither releases nor images"),
        bad("null", "neither releases nor images"),
        bad("releases: []", "neither releases nor images"),
        bad("hello", "line 1: must be a mapping"),
        bad("- a", "line 1: must be a mapping"),
        bad("releases: {v6.9.0: x}", "line 1: releases must be a list"),
        bad("releases:\n- hello", "line 2: releases[0] must be a mapping"),
        bad("relases: []", "line 1: relases is no field here; there are images, releases"),
        bad(release + "  colour: red\n  plan: a\n", "line 4: releases[0].colour is no field here"),
        bad(release + "  version: v6.9.1", "line 4: releases[0] Duplicate field 'version'"),
        bad(release + "---\nreleases: []", "begins a second document"));
  }

  static Stream<Arguments> entriesWithMistakes() {
    String release = "releases:\n- version: v6.9.0\n  source: https://example.org\n";
    return Stream.of(
        bad(
            "releases:\n- source: https://a\n  plan: a\n",
            "line 2: releases[0] version is missing"),
        bad("releases:\n- version: v6.9.0", "releases[0] source must be an https:// URL"),
        bad(
            "releases:\n- {version: v6.9, source: https://a}",
            "line 2: releases[0].version must be a version such as v6.8.0"),
        bad(
            "releases:\n- {version: v6.9.0-rc1, source: https://a}",
            "releases[0].version must be a version"),
        bad(
            "releases:\n- {version: v6.9.0, source: 'javascript:x'}",
            "source must be an https:// URL"),
        bad(
            "releases:\n"
                + "- {version: v6.9.0, source: https://a}\n"
                + "- {version: 6.9.0, source: https://a}",
            "has a version twice"),
        bad(
            release + "  ports: [{number: 9090, name: x, change: Gone}]",
            "line 4: releases[0].ports[0].change must be one of ["),
        bad(
            release + "  ports: [{number: 99999, name: x, change: Added}]",
            "line 4: releases[0].ports[0] number must be a port"),
        bad(
            release + "  ports: [{number: many, name: x, change: Added}]",
            "line 4: releases[0].ports[0].number must be a whole number"),
        bad(
            release + "  ports: [{number: 1, name: x, change: Default}]",
            "change of a port must be Added or Removed"),
        bad(
            release + "  settings: [{in: /etc/passwd, name: x, change: Added}]",
            "releases[0].settings[0] in must be one of app.toml"),
        bad(release + "  plan: [a]", "line 4: releases[0].plan must be text"),
        bad(
            release + "  plan: \"a\\u001b[31m\"",
            "line 4: releases[0].plan must be one printable line"),
        bad(
            release + "  plan: \"a\\u202eb\"",
            "line 4: releases[0].plan must be one printable line"),
        bad(
            release + "  notes: ['" + "x".repeat(1001) + "']",
            "line 4: releases[0].notes[0] must be one printable line"),
        bad(release + "  heights: {pacific-1: 1}", "heights need a plan"),
        bad(release + "  plan: a\n  heights: {'a b': 1}", "heights are by chain id"),
        bad(
            release + "  plan: a\n  heights: {a: -1}",
            "line 2: releases[0] heights must be above 0"),
        bad(release + "  plan: a\n  heights: {a: ~}", "releases[0].heights"),
        bad("releases: [~]", "line 1: releases[0] must be a mapping"),
        bad(release + "  notes: [~]", "line 4: releases[0].notes[0] must be text"),
        bad("images:\n- ~", "line 2: images[0] must be a mapping"),
        bad("x: &x hello\nreleases: []", "line 1: x is no field here"),
        bad(
            "releases:\n- {version: v6.9.0, source: &a https://a, plan: *a}",
            "line 2: releases[0].plan must be written out, not an alias"),
        bad(
            "images: [{tag: '*', nodes: All, why: x}]",
            "images[0] tag must have a character but *"),
        bad("images: [{tag: 'x', nodes: Some, why: x}]", "images[0].nodes must be one of ["),
        bad("releases: " + "[".repeat(100_000), "line 1"),
        bad("a: ".repeat(50_000), "line 1"),
        bad("\t\u0000", "line 1"),
        bad("x".repeat(10 << 20), "it has 10485760 characters, and may have 262144"),
        bad("{\"kind\": \"Secret\", \"data\": {}}", "line 1: kind is no field here"));
  }

  private static Arguments bad(String text, String problem) {
    return Arguments.of(text.length() > 60 ? text.substring(0, 60) : text, text, problem);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource({"whatIsNoList", "entriesWithMistakes"})
  void whatIsNoList(String name, String text, String problem) {
    assertThatThrownBy(() -> ReleaseReader.read(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(problem)
        .message()
        .hasSizeLessThan(400)
        .doesNotContain("io.sei", "com.fasterxml");
  }

  private static SeidVersion version(String text) {
    return SeidVersion.parse(text).orElseThrow();
  }
}
