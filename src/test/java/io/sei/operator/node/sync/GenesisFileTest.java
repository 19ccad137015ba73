package io.sei.operator.node.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.sei.operator.api.v1alpha1.NodeGenesis.ConfigMapKey;
import io.sei.operator.testkit.SmallHeap;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GenesisFileTest {

  private static final ConfigMapKey PLAIN = new ConfigMapKey("chain", null);
  private static final ConfigMapKey COMPRESSED = new ConfigMapKey("chain", "g.json.gz");

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      nullValues = "none",
      value = {
        "{'app_state':{'chain_id':'x'},'chain_id':'lab-1'}; none",
        "{'chain_id':'lab-2'}; GenesisMismatch key genesis.json of ConfigMap chain is the genesis"
            + " of chain lab-2, and spec.chainId is lab-1",
        "{'app_state':{'chain_id':'lab-1'}}; GenesisMissing key genesis.json of ConfigMap chain is"
            + " no genesis: it has no chain_id",
        "{'chain_id':'lab-1','app_state':{; GenesisMissing key genesis.json of ConfigMap chain is"
            + " not JSON",
        "{'chain_id':'lab-1'}{}; GenesisMissing key genesis.json of ConfigMap chain is not JSON",
        "['lab-1']; GenesisMissing key genesis.json of ConfigMap chain is not JSON",
        "''; GenesisMissing key genesis.json of ConfigMap chain is not JSON",
        "none; GenesisMissing ConfigMap chain has no key genesis.json in data",
      })
  void isOneOfTheChainOrSaysWhyNot(String content, String expected) {
    var data = new ConfigMapBuilder().withNewMetadata().withName("chain").endMetadata();
    if (content != null) {
      data.addToData("genesis.json", content.replace('\'', '"'));
    }

    assertThat(defect(PLAIN, data.build())).isEqualTo(expected);
  }

  @Test
  void whatIsCompressedIsReadFromBinaryDataAndNotWithoutEnd() throws IOException {
    assertThat(defect(COMPRESSED, compressed("{\"chain_id\":\"lab-1\"}", 0))).isNull();
    assertThat(defect(COMPRESSED, compressed("{\"chain_id\":\"lab-1\"}", 65 << 20)))
        .isEqualTo(
            "GenesisMissing key g.json.gz of ConfigMap chain is not a gzip file of less than 64 MiB"
                + " of JSON");
    assertThat(defect(COMPRESSED, new ConfigMapBuilder().addToData("g.json.gz", "in data").build()))
        .isEqualTo("GenesisMissing ConfigMap chain has no key g.json.gz in binaryData");
    assertThat(GenesisFile.defect(COMPRESSED, Optional.empty(), "lab-1").orElseThrow().message())
        .isEqualTo("ConfigMap chain does not exist");
  }

  @Test
  void chainIdOfMegabytesDoesNotEndTheOperator() throws Exception {
    assertThat(SmallHeap.run(GenesisFileTest.class)).isEqualTo("done");
  }

  /** Reads, for as many nodes at once as reconcile by default, some KiB that inflate to MiB. */
  public static void main(String[] arguments) throws Exception {
    ConfigMap bomb = compressed("{\"chain_id\":\"" + "x".repeat(15 << 20) + "\"}", 0);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      threads.add(Thread.ofPlatform().start(() -> defect(COMPRESSED, bomb)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    System.out.print("done");
  }

  /** PowerShell writes both; seid reads neither. */
  @ParameterizedTest
  @ValueSource(strings = {"UTF-8", "UTF-16LE", "UTF-16BE"})
  void aByteOrderMarkIsRefusedAsSeidRefusesIt(String charset) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (OutputStream file = new GZIPOutputStream(bytes)) {
      file.write("\uFEFF{\"chain_id\":\"lab-1\"}".getBytes(Charset.forName(charset)));
    }

    assertThat(defect(COMPRESSED, compressed(bytes))).contains("is not a gzip file");
    assertThat(
            defect(
                PLAIN,
                new ConfigMapBuilder()
                    .withNewMetadata()
                    .withName("chain")
                    .endMetadata()
                    .addToData("genesis.json", "\uFEFF{\"chain_id\":\"lab-1\"}")
                    .build()))
        .contains("is not JSON");
  }

  private static ConfigMap compressed(String json, int blanks) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (OutputStream file = new GZIPOutputStream(bytes)) {
      file.write(json.getBytes());
      file.write(" ".repeat(blanks).getBytes());
    }
    return compressed(bytes);
  }

  private static ConfigMap compressed(ByteArrayOutputStream bytes) {
    return new ConfigMapBuilder()
        .addToBinaryData("g.json.gz", Base64.getEncoder().encodeToString(bytes.toByteArray()))
        .build();
  }

  private static String defect(ConfigMapKey key, ConfigMap configMap) {
    return GenesisFile.defect(key, Optional.of(configMap), "lab-1")
        .map(defect -> defect.reason() + " " + defect.message())
        .orElse(null);
  }
}
