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

  private String read(String file) throws IOException {
    return Files.readString(directory.resolve(file));
  }
}
