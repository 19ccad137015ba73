package io.sei.operator.node.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.sei.operator.api.v1alpha1.RestoredFrom;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.render.KilledScript;
import io.sei.operator.render.Nodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the script that makes a copied volume a node's own, and kills it at each command. */
class DataRestoreScriptTest {

  /** Files that seid init makes, with keys that exist nowhere else. */
  private static final String SEID =
      """
      #!/bin/sh
      [ "$*" = "init pacific-1 --chain-id pacific-1 --home $6 --overwrite" ] || exit 1
      /bin/mkdir -p "$6/config" "$6/data"
      for file in config/node_key.json config/priv_validator_key.json config/genesis.json \
      data/priv_validator_state.json; do
        echo "own" > "$6/$file"
      done
      """;

  @TempDir Path directory;
  private KilledScript script;
  private Path home;

  @BeforeEach
  void commands() throws IOException {
    script = KilledScript.in(directory);
    script.with("seid", SEID);
  }

  @Test
  void whateverItDiesAtNothingOfTheSourceIsLeftButItsData() throws Exception {
    int deaths = 0;
    boolean died;
    do {
      deaths++;
      fill(deaths);
      died = script.run(container("new"), home, deaths);
      script.run(container("new"), home, 0);
      assertThat(files())
          .as("after death %d", deaths)
          .isEqualTo(
              """
              {.sei-operator-restored=new, \
              config/config.toml=source, \
              config/genesis.json=source, \
              config/node_key.json=own, \
              config/priv_validator_key.json=own, \
              data/priv_validator_state.json=own, \
              data/state.db/000001.sst=source, \
              wasm/contract=source}""");
    } while (died && deaths < 60);
    assertThat(deaths).isGreaterThan(10);
  }

  @Test
  void leavesTheVolumeAloneForEver() throws Exception {
    fill(0);
    script.run(container("new"), home, 0);
    write("sidecar.db");
    write("data/priv_validator_state.json");

    script.run(container("new"), home, 0);

    assertThat(files()).contains("sidecar.db=source", "priv_validator_state.json=source");
  }

  /** Sorted, with their content. */
  private String files() throws IOException {
    var files = new TreeMap<String, String>();
    try (Stream<Path> left = Files.walk(home)) {
      for (Path file : left.filter(Files::isRegularFile).toList()) {
        files.put(home.relativize(file).toString(), Files.readString(file).trim());
      }
    }
    return files.toString();
  }

  /** A home that was itself made from a snapshot, and whose data was reset once. */
  private void fill(int round) throws IOException {
    home = directory.resolve("home-" + round);
    for (String file :
        new String[] {
          "config/addrbook.json",
          "config/config.toml",
          "config/genesis.json",
          "config/node_key.json",
          "config/priv_validator_key.json",
          "data/priv_validator_state.json",
          "data/state.db/000001.sst",
          "keyring-file/admin.info",
          "sidecar.db",
          "sidecar.db-wal",
          "wasm/contract",
          ".sei-operator-data-reset",
          ".sei-operator-restored",
          ".sei-operator-signing-state-1.json",
          ".sei-sidecar-genesis-done",
          ".sei-sidecar-last-upload.json"
        }) {
      write(file);
    }
  }

  private void write(String file) throws IOException {
    Files.createDirectories(home.resolve(file).getParent());
    Files.writeString(home.resolve(file), "source");
  }

  private static Container container(String snapshotUid) {
    SeiNode node = Nodes.node(Nodes.full());
    node.setStatus(
        SeiNodeStatus.empty()
            .withRestoredFrom(new RestoredFrom("name", snapshotUid, "sei:v1", 1200L)));
    return DataRestoreContainer.render(node).orElseThrow();
  }
}
