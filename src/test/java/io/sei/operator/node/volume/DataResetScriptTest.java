package io.sei.operator.node.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.sei.operator.api.v1alpha1.DataReset;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.render.KilledScript;
import io.sei.operator.render.Nodes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the script that wipes the chain data, and kills it at each of its commands. */
class DataResetScriptTest {

  private static final String SIGNED = "{\"height\": \"1200\", \"round\": 0, \"step\": 3}";

  @TempDir Path directory;
  private KilledScript script;
  private Path home;

  @BeforeEach
  void commands() throws IOException {
    script = KilledScript.in(directory);
  }

  @Test
  void whateverItDiesAtNodeKeyAndSigningStateAreKept() throws Exception {
    int deaths = 0;
    boolean died;
    do {
      deaths++;
      fill(deaths);
      died = run(1, deaths);
      assertThat(Stream.of("data/priv_validator_state.json", saved(1)).map(home::resolve))
          .as("signing state, after death %d", deaths)
          .anyMatch(DataResetScriptTest::isWhole);
      run(1, 0);
      assertReset();
    } while (died && deaths < 60);
    assertThat(deaths).isGreaterThan(10);
  }

  @Test
  void isDoneOnceForEachNumber() throws Exception {
    fill(0);
    run(2, 0);
    Files.writeString(home.resolve("data/block"), "new");

    run(1, 0);
    run(2, 0);
    assertThat(home.resolve("data/block")).exists();

    run(3, 0);
    assertThat(home.resolve("data/block")).doesNotExist();
    assertReset();
  }

  @Test
  void whatNobodyHasSignedIsNotMadeUp() throws Exception {
    fill(0);
    Files.delete(home.resolve("data/priv_validator_state.json"));

    run(1, 0);

    assertThat(home.resolve("data")).isEmptyDirectory();
  }

  private void assertReset() {
    assertThat(home.resolve("data/priv_validator_state.json")).hasContent(SIGNED);
    assertThat(home.resolve("config/node_key.json")).hasContent("node key");
    assertThat(home.resolve("config/genesis.json")).exists();
    try (Stream<Path> left = Files.walk(home)) {
      assertThat(left.filter(Files::isRegularFile).map(home::relativize).map(Path::toString))
          .containsExactlyInAnyOrder(
              "data/priv_validator_state.json",
              "config/node_key.json",
              "config/genesis.json",
              ".sei-operator-data-reset");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void fill(int round) throws IOException {
    home = directory.resolve("home-" + round);
    for (String folder : List.of("data/state.db", "config", "wasm")) {
      Files.createDirectories(home.resolve(folder));
    }
    write("data/priv_validator_state.json", SIGNED);
    write("data/state.db/000001.sst", "blocks");
    write("wasm/contract", "code");
    write("sidecar.db", "tasks");
    write("sidecar.db-wal", "tasks");
    write(".sei-sidecar-genesis-done", "");
    write("config/node_key.json", "node key");
    write("config/genesis.json", "{}");
  }

  private void write(String file, String content) throws IOException {
    Files.writeString(home.resolve(file), content);
  }

  private static boolean isWhole(Path file) {
    try {
      return Files.exists(file) && Files.readString(file).equals(SIGNED);
    } catch (IOException e) {
      return false;
    }
  }

  private static String saved(long generation) {
    return ".sei-operator-signing-state-" + generation + ".json";
  }

  private boolean run(long generation, int death) throws Exception {
    return script.run(container(generation), home, death);
  }

  private static Container container(long generation) {
    SeiNode node = Nodes.node(Nodes.full().withDataResetGeneration(generation));
    node.setStatus(
        SeiNodeStatus.empty().withDataReset(new DataReset(generation, "claim", null, null)));
    return DataResetContainer.render(node).orElseThrow();
  }
}
