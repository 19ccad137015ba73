package io.sei.operator.node.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.sei.operator.api.v1alpha1.NodeGenesis.ConfigMapKey;
import io.sei.operator.render.KilledScript;
import io.sei.operator.render.Nodes;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the script that puts the genesis on the volume, and kills it at each of its commands. */
class GenesisScriptTest {

  private static final ConfigMapKey PLAIN = new ConfigMapKey("chain", null);
  private static final ConfigMapKey COMPRESSED = new ConfigMapKey("chain", "genesis.json.gz");

  @TempDir Path directory;
  private KilledScript script;
  private Path home;
  private Path given;

  @BeforeEach
  void newVolume() throws IOException {
    script = KilledScript.in(directory);
    home = Files.createDirectories(directory.resolve("home"));
    given = Files.createDirectories(directory.resolve("given")).resolve("genesis");
    Files.createDirectories(home.resolve("config"));
    Files.createDirectories(home.resolve("data"));
    Files.writeString(home.resolve("data/priv_validator_state.json"), "{}");
    Files.writeString(own(), "the default");
  }

  @Test
  void whateverItDiesAtTheGenesisIsTheDefaultOrTheGivenOne() throws Exception {
    Files.writeString(given, "given");
    for (int death = 1; run(PLAIN, death); death++) {
      assertThat(own()).content().isIn("the default", "given");
    }
    assertThat(own()).hasContent("given");
    assertThat(home.resolve("config")).isDirectoryNotContaining(path -> !path.equals(own()));
  }

  @Test
  void whatIsCompressedIsPutThereAsItWas() throws Exception {
    try (OutputStream file = new GZIPOutputStream(Files.newOutputStream(given))) {
      file.write("given\n".getBytes());
    }

    run(COMPRESSED, 0);
    run(COMPRESSED, 0);

    assertThat(own()).content().isEqualTo("given\n");
    assertThat(said()).doesNotExist();
  }

  @Test
  void whatSeidBeganWithStaysAndTheDifferenceIsSaid() throws Exception {
    Files.createDirectories(home.resolve("data/blockstore.db"));
    Files.writeString(given, "another");

    run(PLAIN, 0);

    assertThat(own()).hasContent("the default");
    assertThat(said()).hasContent("differs");
  }

  @Test
  void genesisThatIsMissingOnAVolumeWithDataIsPutBack() throws Exception {
    Files.createDirectories(home.resolve("data/blockstore.db"));
    Files.delete(own());
    Files.writeString(given, "given");

    run(PLAIN, 0);

    assertThat(own()).hasContent("given");
    assertThat(said()).doesNotExist();
  }

  @Test
  void nodeThatBeganStartsWithoutTheConfigMap() throws Exception {
    Files.createDirectories(home.resolve("data/blockstore.db"));

    run(PLAIN, 0);

    assertThat(own()).hasContent("the default");
    assertThat(said()).doesNotExist();
  }

  @Test
  void nodeThatDidNotBeginDoesNotStartWithADefault() throws Exception {
    assertThat(new ProcessBuilder(container(PLAIN).getCommand()).directory(home.toFile()))
        .satisfies(builder -> builder.environment().put("HOME", home.toString()))
        .satisfies(builder -> assertThat(builder.start().waitFor()).isEqualTo(1));
  }

  private Path own() {
    return home.resolve("config/genesis.json");
  }

  private Path said() {
    return directory.resolve("termination-log");
  }

  private boolean run(ConfigMapKey key, int death) throws Exception {
    return script.run(container(key), home, death);
  }

  private Container container(ConfigMapKey key) {
    Container rendered = GenesisContainer.render(Nodes.node(Nodes.full()), key);
    return new ContainerBuilder(rendered)
        .withCommand(
            rendered.getCommand().stream()
                .map(command -> command.replace("/etc/sei-genesis", given.getParent().toString()))
                .map(text -> text.replace("/dev/termination-log", said().toString()))
                .toList())
        .build();
  }
}
