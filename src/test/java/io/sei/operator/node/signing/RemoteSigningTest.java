package io.sei.operator.node.signing;

import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import io.sei.operator.api.v1alpha1.AppliedConfigBuilder;
import io.sei.operator.api.v1alpha1.ConfigValue;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeStatus;
import io.sei.operator.api.v1alpha1.Validator;
import io.sei.operator.api.v1alpha1.Validator.RemoteSigner;
import io.sei.operator.api.v1alpha1.ValidatorBuilder;
import io.sei.operator.config.OperatorConfig;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.node.feature.ConfigParts;
import io.sei.operator.node.feature.PlanShape;
import io.sei.operator.render.StatefulSetRenderer;
import io.sei.operator.testkit.ThrowAwayKeys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Seid listens for its signer, and signs with nothing else. */
class RemoteSigningTest {

  private static final String LISTEN = "tcp://0.0.0.0:26659";
  private static final String PLACE = "config.toml:priv-validator.laddr";
  private static final String CONFIGURED =
      "[p2p]\n"
          + "laddr = \"tcp://0.0.0.0:26656\"\n\n"
          + "[priv-validator]\n"
          + "  key-file = \"x\"\n"
          + "  laddr = \"%s\"\n";

  @TempDir Path home;

  @BeforeEach
  void directories() throws IOException {
    Files.createDirectories(home.resolve("config"));
    Files.createDirectories(home.resolve("data"));
    write(
        "config/genesis.json",
        "{\"chain_id\":\"%s\"}".formatted(node(remote()).getSpec().chainId()));
  }

  @ParameterizedTest
  @EnumSource(PlanShape.class)
  void seidListensExceptInABootstrap(PlanShape shape) {
    assertThat(values(node(remote()), SeiNodeStatus.empty(), shape))
        .isEqualTo(shape == PlanShape.JOB ? List.of() : List.of(value(LISTEN)));
  }

  @Test
  void seidThatSignsByItselfAgainListensNoMore() {
    SeiNodeStatus listened =
        SeiNodeStatus.empty()
            .withConfig(AppliedConfigBuilder.builder().hash("h").keys(List.of(PLACE)).build());

    assertThat(values(node(local()), SeiNodeStatus.empty(), PlanShape.UPDATE)).isEmpty();
    assertThat(values(node(local()), listened, PlanShape.UPDATE)).containsExactly(value(""));
  }

  private static List<ConfigValue> values(SeiNode node, SeiNodeStatus status, PlanShape shape) {
    var parts = new ConfigParts(shape);
    new RemoteSigning(null, null, null).config(aNode(node).status(status).view(), parts);
    return parts.values();
  }

  private static ConfigValue value(String listen) {
    return new ConfigValue("config.toml", "priv-validator.laddr", TextNode.valueOf(listen));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[p2p]\nladdr = \"tcp://0.0.0.0:26656\"\n",
        "laddr = \"tcp://0.0.0.0:26659\"\n",
        "[priv-validator]\nladdr = \"\"\n[rpc]\nladdr = \"tcp://0.0.0.0:26657\"\n",
        "[priv-validator]\n# laddr = \"tcp://0.0.0.0:26659\"\n"
      })
  void seidThatWouldNotListenDoesNotStart(String config) throws Exception {
    write("config/config.toml", config);

    assertThat(start())
        .startsWith("78 config.toml has no laddr in [priv-validator], so seid would sign without");
  }

  @Test
  void keyAndStateOfEarlierAreKept() throws Exception {
    write("config/config.toml", CONFIGURED.formatted(LISTEN));
    write("config/priv_validator_key.json", "key");
    write("data/priv_validator_state.json", "state");

    assertThat(start()).isEqualTo("0 start");
    assertThat(read("config/priv_validator_key.json.local")).isEqualTo("key");
    assertThat(read("data/priv_validator_state.json.local")).isEqualTo("state");
    assertThat(home.resolve("config/priv_validator_key.json")).doesNotExist();
    assertThat(home.resolve("data/priv_validator_state.json")).doesNotExist();
  }

  /** Seid makes two files of its own, which do not take the place of what was kept. */
  @Test
  void whatSeidMakesStays() throws Exception {
    write("config/config.toml", CONFIGURED.formatted(LISTEN));
    write("config/priv_validator_key.json.local", "key");
    write("data/priv_validator_state.json.local", "state");
    write("config/priv_validator_key.json", "made");
    write("data/priv_validator_state.json", "made");

    assertThat(start()).isEqualTo("0 start");
    assertThat(read("config/priv_validator_key.json.local")).isEqualTo("key");
    assertThat(read("data/priv_validator_state.json.local")).isEqualTo("state");
    assertThat(read("data/priv_validator_state.json")).isEqualTo("made");
  }

  @Test
  void homeWithoutKeyAndStateStarts() throws Exception {
    write("config/config.toml", CONFIGURED.formatted("unix:///run/signer.sock"));

    assertThat(start()).isEqualTo("0 start");
  }

  /** Runs the script after the wait for the sidecar; returns its exit code, and its output. */
  private String start() throws Exception {
    var rendered =
        new StatefulSetRenderer(OperatorConfig.fromEnvironment(Map.of()), OfflineNode.FEATURES)
            .render(node(remote()));
    String args =
        rendered.getSpec().getTemplate().getSpec().getContainers().getFirst().getArgs().getFirst();
    String script = args.substring(args.indexOf("echo \"the sidecar is ready")).split("\n", 2)[1];
    var builder =
        new ProcessBuilder("/bin/bash", "-c", "exec() { echo start; }\n" + script)
            .redirectErrorStream(true);
    builder.environment().put("HOME", home.toString());
    Process process = builder.start();
    assertThat(process.waitFor(10, TimeUnit.SECONDS)).isTrue();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.exitValue() + " " + said.strip();
  }

  private void write(String file, String content) throws IOException {
    Files.writeString(home.resolve(file), content);
  }

  private String read(String file) throws IOException {
    return Files.readString(home.resolve(file));
  }

  private static SeiNode node(Validator validator) {
    return aNode("sei:a")
        .spec(spec -> spec.with(builder -> builder.fullNode(null).validator(validator)))
        .build();
  }

  private static Validator remote() {
    return ValidatorBuilder.builder()
        .remoteSigner(new RemoteSigner(LISTEN, ThrowAwayKeys.PUBLIC_KEY))
        .build();
  }

  private static Validator local() {
    return ValidatorBuilder.builder()
        .signingKey(new Validator.SigningKey(new Validator.KeySecret("key")))
        .build();
  }
}
