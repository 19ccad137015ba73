package io.sei.operator.machine;

import static org.assertj.core.api.Assertions.assertThat;

import io.sei.operator.testkit.machine.Chain;
import io.sei.operator.testkit.machine.Manifests;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A real node joins a chain whose genesis a ConfigMap holds, by the id of a peer. */
@Execution(ExecutionMode.CONCURRENT)
class PeersOnMachineTest extends MachineTestCase {

  private static final String IMAGE = Chain.V1_DIALS.image();
  private static final String OBSERVER = "observer";

  private static final String KEYS =
      """
      {"spec":{"validator":{"signingKey":{"secret":{"secretName":"signing"}},
        "nodeKey":{"secret":{"secretName":"identity"}}}}}
      """;

  @Test
  void validatorWithANodeKeySecretIsConnectedToByTheIdOfThatKey() {
    apply(Manifests.node(NODE, IMAGE).replace("fullNode: {}", "validator: {}"));
    awaitBlocks(IMAGE);
    String ofVolume = nodeId(POD);
    create(
        "secret generic", "signing", "priv_validator_key.json", ofSeid("priv_validator_key.json"));
    create("secret generic", "identity", "node_key.json", newNodeKey());

    patch(KEYS);

    eventually(() -> assertThat(status("status.nodeId")).isNotEmpty());
    awaitBlocks(IMAGE);
    String id = status("status.nodeId");
    assertThat(nodeId(POD)).as("what seid itself says").isEqualTo(id).isNotEqualTo(ofVolume);
    create("configmap", "chain", "genesis.json", ofSeid("genesis.json"));
    apply(
        Manifests.node(OBSERVER, IMAGE)
            + """
            genesis: {configMap: {name: chain}}
            peers: [{label: {selector: {sei.io/chain: atlantic-2}}}]
            """
                .indent(2));
    eventually(
        () ->
            assertThat(field("seinodes", OBSERVER, "status.resolvedPeers[*]"))
                .isEqualTo(
                    "%1$s@%2$s-0.%2$s.%3$s.svc.cluster.local:26656"
                        .formatted(id, NODE, namespace)));
    eventually(() -> assertThat(rpc(OBSERVER + "-0", "status")).contains("node_info"));
    String peer = id + "@" + field("pods", POD, "status.podIP");
    // The sidecar of this tier writes no configuration.
    rpc(OBSERVER + "-0", "dial_peers?persistent=true&peers=%5B%22" + peer + ":26656%22%5D");
    eventually(
        () -> assertThat(rpc(OBSERVER + "-0", "net_info")).contains("\"id\":\"" + id + "\""));
    // It can have blocks of that chain alone, none of whose keys it has.
    awaitHeight(OBSERVER + "-0", 2);
    assertThat(field("seinodes", OBSERVER, "status.conditions[?(@.type=='GenesisReady')].reason"))
        .isEqualTo("GenesisInstalled");
  }

  private String ofSeid(String file) {
    return kubectl("exec", POD, "-c", "seid", "--", "cat", "/.sei/config/" + file);
  }

  private void create(String kind, String name, String file, String content) {
    try {
      Path path = Files.writeString(directory.resolve(file), content);
      var words = new ArrayList<>(List.of("create"));
      words.addAll(List.of(kind.split(" ")));
      words.addAll(List.of(name, "--from-file=" + path));
      kubectl(words.toArray(String[]::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a node key as Tendermint writes it: 32 bytes of seed, then the public key. */
  private static String newNodeKey() {
    try {
      KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
      byte[] key = Arrays.copyOf(last32(pair.getPrivate().getEncoded()), 64);
      System.arraycopy(last32(pair.getPublic().getEncoded()), 0, key, 32, 32);
      return "{\"priv_key\":{\"type\":\"tendermint/PrivKeyEd25519\",\"value\":\"%s\"}}"
          .formatted(Base64.getEncoder().encodeToString(key));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] last32(byte[] encoded) {
    return Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length);
  }
}
