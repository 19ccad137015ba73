package io.sei.operator.node.signing;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.render.StatefulSetRenderer;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A signer starts on the volume of its own chain; the script is run by bash. */
class SignedChainTest {

  private static final String CHAIN = "pacific-1";

  /** Two pieces, so that what the script looks for lies across their border somewhere. */
  private static final int PIECE = 8192;

  @TempDir Path home;

  @BeforeEach
  void directory() throws IOException {
    Files.createDirectories(home.resolve("config"));
  }

  /** Genesis as Go writes it, in lines and in one, and with the application's state first. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      value = {
        "{'genesis_time': 'x',LF 'chain_id': 'pacific-1',LF 'app_state': {}}             | -",
        "{'genesis_time':'x','chain_id':'pacific-1','app_state':{}}                      | -",
        "{'chain_id'LF:LF'pacific-1'}                                                    | -",
        "{'chain_id':'pacific-1','app_state':{'ibc':{'chain_id':'lab-2'}}}               | -",
        "{'app_state': {'ibc': {'chain_id': 'lab-2'}},LF 'chain_id': 'pacific-1'LF}      | -",
        "{'app_hash':'','app_state':{'a':{}},'chain_id':'pacific-1','validators':[]}     | -",
        "{'app_state':{'ibc':[{'chain_id':'a'},{'chain_id':'b'}]},'chain_id':'pacific-1'} | -",
        "{'app_state':{'ibc':{'chain_id':'lab-2'},'a':'éé'},'chain_id':'pacific-1'}      | -",
        "{'validators':[{'name':'chain_id'}],'chain_id':'pacific-1'}                     | -",
        "{'app_state':{'wasm':'{\\'chain_id\\':\\'lab-2\\'}'},'chain_id':'pacific-1'}        | -",
        "{'chain_id':'pacific-1','app_state':{'wasm':'{\\'chain_id\\':\\'lab-2\\'}'}}        | -",
        "{'chain_id': 'pacific-12'}                                                      |"
            + " pacific-12",
        "{'chain_id': 'a-pacific-1'}                                                     |"
            + " a-pacific-1",
        "{'chain_id': 'pacific.1'}                                                       |"
            + " pacific.1",
        "{'chain_id': 'lab-2', 'memo': 'pacific-1'}                                      | lab-2",
        "{'chain_id':'lab-2','app_state':{'ibc':{'chain_id':'pacific-1'}}}               | lab-2",
        "{'app_state':{'ibc':{'chain_id':'pacific-1'}},'chain_id':'lab-2'}               | lab-2",
        "{'app_state':{'wasm':'{\\'chain_id\\':\\'pacific-1\\'}'},'chain_id':'lab-2'}        |"
            + " lab-2",
        "{'memo': 'pacific-1'}                                                           | ''",
        "{'chain_id': 7, 'memo': 'pacific-1'}                                            | ''",
        "''                                                                              | ''"
      })
  void theChainAtTheTopOfTheGenesisCounts(String genesis, String other) throws Exception {
    write(genesis.replace("LF", "\n").replace('\'', '"'));

    assertThat(start()).startsWith(other == null ? "0 start" : refusal(other));
  }

  @Test
  void aMissingGenesisIsNamed() throws Exception {
    assertThat(start())
        .startsWith("78 Error: open ")
        .endsWith("config/genesis.json: no such file or directory");
  }

  /** Wherever the border between two pieces falls. */
  @Test
  void aGenesisIsReadInPieces() throws Exception {
    String end = "},\"chain_id\": \"pacific-1\",\"genesis_time\":\"x\"}";
    for (int cut = 0; cut <= end.length(); cut++) {
      String start = "{\"app_state\":{\"chain_id\":\"lab-2\",\"x\":\"";
      String filling = "é".repeat(PIECE * 2 - cut - start.length() - 1);
      write(start + filling + "\"" + end);

      assertThat(start()).as("%d characters before the border", cut).isEqualTo("0 start");
    }
  }

  /** The genesis is one line, where seid needs as much memory as it has. */
  @Test
  void aGenesisOfOneLongLineNeedsNoMemory() throws Exception {
    String account =
        "{\"address\":\"sei1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq\",\"sequence\":\"1\"},";
    try (BufferedWriter file = Files.newBufferedWriter(genesis())) {
      file.write("{\"app_state\":{\"accounts\":[");
      for (int i = 0; i < 20 * 1024 * 1024 / account.length(); i++) {
        file.write(account);
      }
      file.write("{}]},\"chain_id\":\"pacific-1\"}");
    }

    assertThat(run("ulimit -v 16384\n" + script())).isEqualTo("0 start");
  }

  private static String refusal(String chain) {
    return "78 the genesis on the volume is not of chain %s, which this key signs for, but of '%s': "
        .formatted(CHAIN, chain);
  }

  private String start() throws Exception {
    return run(script());
  }

  /** Returns the script after the wait for the sidecar. */
  private static String script() {
    SeiNode node = aNode("sei:a").build();
    Validator validator =
        ValidatorBuilder.builder()
            .signingKey(new Validator.SigningKey(new Validator.KeySecret("key")))
            .build();
    node.setSpec(
        node.getSpec().with(builder -> builder.chainId(CHAIN).fullNode(null).validator(validator)));
    var rendered =
        new StatefulSetRenderer(OperatorConfig.fromEnvironment(Map.of()), OfflineNode.FEATURES)
            .render(node);
    String args =
        rendered.getSpec().getTemplate().getSpec().getContainers().getFirst().getArgs().getFirst();
    return args.substring(args.indexOf("echo \"the sidecar is ready")).split("\n", 2)[1];
  }

  /** The exit code of the script, and what it said. */
  private String run(String script) throws Exception {
    var builder =
        new ProcessBuilder("/bin/bash", "-c", "exec() { echo start; }\n" + script)
            .redirectErrorStream(true);
    builder.environment().putAll(Map.of("HOME", home.toString(), "LC_ALL", "C.UTF-8"));
    Process process = builder.start();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.exitValue() + " " + said.strip();
  }

  /**
   * Writes bytes that are not ASCII and not UTF-8 either, as at a piece that ends within a
   * character.
   */
  private void write(String genesis) throws IOException {
    Files.writeString(genesis(), genesis, StandardCharsets.ISO_8859_1);
  }

  private Path genesis() {
    return home.resolve("config/genesis.json");
  }
}
