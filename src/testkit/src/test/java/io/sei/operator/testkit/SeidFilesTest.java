package io.sei.operator.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SeidFilesTest {

  private static final String CONFIG =
      """
      [p2p]
      persistent_peers = ""
      [mempool]
      size = 5000
      [statesync]
      enable = false
      rpc_servers = ""
      trust_height = 0
      trust_hash = ""
      trust_period = "168h0m0s"
      [fastsync]
      enable = false
      [priv-validator]
      laddr = ""
      """;

  private static final String APP =
      """
      [state-sync]
      snapshot-interval = 0
      snapshot-keep-recent = 2
      """;

  private static final String OF_SEI =
      """
      mode = "full"
      [p2p]
      persistent-peers = ""
      [statesync]
      use-p2p = false
      rpc-servers = ""
      """;

  @TempDir Path directory;

  @Test
  void whatIsSetIsWrittenAndWhatNoLongerIsTakenBack() throws IOException {
    Files.writeString(directory.resolve("config.toml"), CONFIG);
    Files.writeString(directory.resolve("app.toml"), APP);
    var files = new SeidFiles(directory);

    files.write(
        SidecarHome.EMPTY.with(
            Map.of(
                SidecarHome.PEERS,
                "a@b:26656",
                SidecarHome.STATE_SYNC_ENABLE,
                "true",
                SidecarHome.RPC_SERVERS,
                "b:26657,c:26657",
                SidecarHome.TRUST_HEIGHT,
                "8000",
                SidecarHome.TRUST_HASH,
                "AB",
                "config.toml priv-validator.laddr",
                "tcp://0.0.0.0:26659",
                "storage.snapshot_interval",
                "100")));

    assertThat(read("config.toml"))
        .isEqualTo(
            CONFIG
                .replace("peers = \"\"", "peers = \"a@b:26656\"")
                .replaceFirst("enable = false", "enable = true")
                .replace("servers = \"\"", "servers = \"b:26657,c:26657\"")
                .replace("height = 0", "height = 8000")
                .replace("hash = \"\"", "hash = \"AB\"")
                .replace("laddr = \"\"", "laddr = \"tcp://0.0.0.0:26659\""));
    assertThat(read("app.toml")).isEqualTo(APP.replace("interval = 0", "interval = 100"));

    files.write(SidecarHome.EMPTY);

    assertThat(read("config.toml")).isEqualTo(CONFIG);
    assertThat(read("app.toml")).isEqualTo(APP);
  }

  @Test
  void theFilesOfSeiHaveOtherKeysAndAMode() throws IOException {
    Files.writeString(directory.resolve("config.toml"), OF_SEI);
    SidecarHome home = SidecarHome.EMPTY.configured("validator", Map.of());

    new SeidFiles(directory)
        .write(
            home.with(Map.of(SidecarHome.PEERS, "a@b:26656", SidecarHome.RPC_SERVERS, "b:1,c:1")));

    assertThat(read("config.toml"))
        .isEqualTo(
            OF_SEI
                .replace("full", "validator")
                .replace("peers = \"\"", "peers = \"a@b:26656\"")
                .replace("servers = \"\"", "servers = \"b:1,c:1\""));
  }

  @Test
  void keyOfALaterSeidIsAddedOnce() throws IOException {
    Files.writeString(directory.resolve("config.toml"), CONFIG);
    Files.writeString(directory.resolve("client.toml"), "node = \"tcp://localhost:26657\"\n");
    SidecarHome home =
        SidecarHome.EMPTY.with(
            Map.of(
                "config.toml p2p.lanes", "4",
                "config.toml giga.workers", "8",
                "client.toml lane", "fast",
                "missing.toml lane", "fast"));

    new SeidFiles(directory).write(home);
    new SeidFiles(directory).write(home);

    assertThat(read("config.toml"))
        .isEqualTo(CONFIG.replace("[p2p]\n", "[p2p]\nlanes = 4\n") + "\n[giga]\nworkers = 8\n");
    assertThat(read("client.toml"))
        .isEqualTo("lane = \"fast\"\nnode = \"tcp://localhost:26657\"\n");
    assertThat(directory.resolve("missing.toml")).doesNotExist();
  }

  @Test
  void theIdIsThatOfTheNodeKey() throws IOException {
    Files.writeString(
        directory.resolve("node_key.json"),
        """
        {"priv_key":{"type":"tendermint/PrivKeyEd25519","value":
        "w6Zh0YoRdoellXSmtdzJkIMLqlUi1x//mznWu8sUXuVJ4De/M2W9DfU2cEhsT2t/h/PA8D1PkOqtDPlsdBayjQ=="}}
        """);

    assertThat(new SeidFiles(directory).nodeId())
        .as("what seid tendermint show-node-id says of this key")
        .isEqualTo("850fb6cbca56c5130e09b5c31148376cd042b04c");
  }

  private String read(String file) throws IOException {
    return Files.readString(directory.resolve(file));
  }
}
