package io.sei.operator.node.upgrade;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.Upgrade;
import io.sei.operator.api.v1alpha1.UpgradeConfiguration;
import io.sei.operator.api.v1alpha1.UpgradeConfiguration.State;
import io.sei.operator.api.v1alpha1.UpgradeStatus;
import io.sei.operator.chain.ReleaseReader;
import io.sei.operator.chain.Releases;
import io.sei.operator.chain.SeidVersion;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigurationGateTest {

  static final Releases RELEASES =
      ReleaseReader.read(
          """
          releases:
          - {version: v7.0.0, source: "https://example.com/1"}
          - version: v7.1.0
            source: https://example.com/2
            settings:
            - {in: app.toml, name: evm.old, change: Removed, note: it was for tests}
            - {in: app.toml, name: evm.gone, change: Removed}
            - {in: app.toml, name: evm.other, change: Default, value: "1"}
            - {in: command line, name: --grpc-only, change: Removed}
          - version: v7.2.0
            source: https://example.com/3
            settings:
            - {in: app.toml, name: evm.gone, change: Added}
            - {in: config.toml, name: p2p.lane, change: Required, value: "4"}
          """);

  private static final UpgradeStatus UPGRADE =
      UpgradeStatus.scheduled(new Upgrade("v7.2", 100L, "sei:v7.2.0", null))
          .pulled("sei@sha256:1", "m1", NOW);

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "v7.0.0 | v7.1.0 | app.toml[evm.gone, evm.old]",
        "v7.0.0 | v7.2.0 | app.toml[evm.old] config.toml[p2p.lane]",
        "v7.1.0 | v7.2.0 | config.toml[p2p.lane]",
        "v7.0.0 | v7.0.0 | ''",
        "v7.2.0 | v7.1.0 | ''",
        "v7.0.0 | v9.9.9 | ''",
        "v1.0.0 | v7.2.0 | ''",
      })
  void lastWordOfEachKeyCountsBetweenKnownVersions(String running, String next, String files) {
    var gate =
        ConfigurationGate.of(UPGRADE.inspected(next, null), SeidVersion.parse(running), RELEASES);

    assertThat(
            String.join(" ", gate.files().stream().map(file -> file.name() + file.keys()).toList()))
        .isEqualTo(files);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "keys 0 | keys 1 | ACCEPTED     | ''",
        "keys 1 | keys 1 | REFUSED      | app.toml has evm.old, with which seid does not start (it"
            + " was for tests); remove it",
        "keys 0 | keys 0 | REFUSED      | config.toml lacks p2p.lane, without which seid does not"
            + " start; set it to 4 in spec.configValues",
        "none   | keys 1 | FILE_MISSING | app.toml is not on the volume, or is no file; put it back"
            + " while kubectl sei hold keeps seid down: a restart alone does not write it",
        "keys   | keys 1 | UNCHECKED    | app.toml cannot be read by the running image",
        "keys 2 | keys 1 | UNCHECKED    | app.toml cannot be read by the running image",
        "secret | keys 1 | UNCHECKED    | app.toml cannot be read by the running image",
      })
  void answersOfTheFilesAreJudged(String app, String config, State state, String message) {
    UpgradeConfiguration judged = gate(UPGRADE).judge(answers(app, config), NOW);

    assertThat(judged.state()).isEqualTo(state);
    assertThat(judged.message()).isEqualTo(message.isEmpty() ? null : message);
  }

  @Test
  void filesAreComparedAfterEachPullAndStartAndTenMinutesAfterAFinding() {
    assertThat(gate(UPGRADE).due(NOW, NOW)).contains(Duration.ZERO);
    UpgradeStatus accepted =
        UPGRADE.withConfiguration(gate(UPGRADE).judge(answers("keys 0", "keys 1"), NOW));
    assertThat(gate(accepted).due(NOW.plusSeconds(9999), NOW)).isEmpty();
    assertThat(gate(accepted.pulled("sei@sha256:1", "m1", NOW.plusSeconds(1))).due(NOW, NOW))
        .contains(Duration.ZERO);
    assertThat(gate(accepted).due(NOW.plusSeconds(9), NOW.plusSeconds(5)))
        .as("the node has restarted")
        .contains(Duration.ZERO);
    assertThat(gate(accepted).due(NOW, Instant.EPOCH)).isEmpty();
    assertThat(gate(accepted).due(NOW.plusSeconds(9), NOW.plusSeconds(69)))
        .as("the clock of the machine is ahead")
        .contains(Duration.ofMinutes(1));
    UpgradeStatus refused =
        UPGRADE.withConfiguration(gate(UPGRADE).judge(answers("keys 1", "keys 1"), NOW));
    assertThat(gate(refused).due(NOW.plusSeconds(60), NOW)).contains(Duration.ofMinutes(9));
    assertThat(gate(UPGRADE.inspected("v9.9.9", null)).due(NOW, NOW))
        .as("nothing to compare")
        .isEmpty();
  }

  private static ConfigurationGate gate(UpgradeStatus upgrade) {
    return ConfigurationGate.of(upgrade, SeidVersion.parse("v7.0.0"), RELEASES);
  }

  private static Map<String, Optional<String>> answers(String app, String config) {
    return Map.of(
        "app.toml",
        app.equals("none") ? Optional.empty() : Optional.of(app),
        "config.toml",
        Optional.of(config));
  }
}
