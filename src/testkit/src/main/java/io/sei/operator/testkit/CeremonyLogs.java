package io.sei.operator.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/**
 * The logs of a namespace whose every container has made a genesis, of the validators of a fleet,
 * whose keys are there; shortened, and printed as {@code CeremonyScript} prints it.
 */
public final class CeremonyLogs implements AutoCloseable {

  private static final String GENESIS =
      """
      {"chain_id":"%s","app_state":{
        "staking":{"params":{"max_validators":35}},
        "gov":{"voting_params":{"voting_period":"172800s"}},
        "genutil":{"gen_txs":[%s]}}}
      """;

  private static final String VALIDATOR =
      """
      {"body":{"messages":[{"pubkey":{"key":"%s"}}]}}\
      """;

  private final KubernetesClient client;
  private final String namespace;
  private final LocalHttps server;
  private volatile String chain;
  private volatile String fleet = "fleet";

  /**
   * @param chain what the tools call it
   */
  public CeremonyLogs(KubernetesClient client, String namespace, String chain) {
    this.client = client;
    this.namespace = namespace;
    this.chain = chain;
    server = new LocalHttps(this::answer);
  }

  /** Returns the port at which the API server has to read them. */
  public int port() {
    return server.port();
  }

  /** Makes the tools create a genesis of another chain. */
  public void chain(String another) {
    chain = another;
  }

  /** Makes the logs those of this fleet. */
  public void of(String another) {
    fleet = another;
  }

  @Override
  public void close() {
    server.close();
  }

  private void answer(HttpExchange exchange) throws IOException {
    byte[] log = block(GENESIS.formatted(chain, String.join(",", validators()))).getBytes(UTF_8);
    exchange.sendResponseHeaders(200, log.length);
    exchange.getResponseBody().write(log);
    exchange.close();
  }

  private List<String> validators() {
    return client
        .secrets()
        .inNamespace(namespace)
        .withLabel("sei.io/nodedeployment", fleet)
        .list()
        .getItems()
        .stream()
        .filter(secret -> secret.getData().containsKey("priv_validator_key.json"))
        .map(secret -> VALIDATOR.formatted(publicKey(secret)))
        .toList();
  }

  /** The public half of a consensus key, in base64. */
  public static String publicKey(Secret secret) {
    byte[] file = Base64.getDecoder().decode(secret.getData().get("priv_validator_key.json"));
    return Serialization.unmarshal(new String(file, UTF_8), SigningKey.class).pub_key().value();
  }

  private record SigningKey(String address, PublicKey pub_key, PublicKey priv_key) {}

  private record PublicKey(String type, String value) {}

  /** A genesis by gzip. */
  public static byte[] compressed(String genesis) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var file = new GZIPOutputStream(bytes)) {
      file.write(genesis.getBytes(UTF_8));
    }
    return bytes.toByteArray();
  }

  /** A genesis as the container prints it, behind what the tools say. */
  public static String block(String genesis) throws IOException {
    byte[] compressed = compressed(genesis);
    return """
    said by a tool
    -----BEGIN GENESIS %d %s-----
    %s
    -----END GENESIS-----
    """
        .formatted(
            compressed.length,
            Digests.sha256(compressed, 32),
            Base64.getMimeEncoder(76, "\n".getBytes(UTF_8)).encodeToString(compressed));
  }
}
