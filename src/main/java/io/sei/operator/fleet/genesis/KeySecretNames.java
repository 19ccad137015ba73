package io.sei.operator.fleet.genesis;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.api.v1alpha1.Validator.GenesisCeremony;
import io.sei.operator.api.v1alpha1.Validator.NodeKey;
import io.sei.operator.api.v1alpha1.Validator.SigningKey;
import io.sei.operator.base.Json;
import io.sei.operator.render.Labels;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * PURE: the names of the Secrets of one validator, one for each of who reads it: seid its consensus
 * key, seid its identity, and a person the words of the account.
 */
record KeySecretNames(String signingKey, String nodeKey, String account) {

  private static final JsonMapper JSON = Json.mapper();

  /** Returns the names for a node. */
  static KeySecretNames of(String node) {
    return new KeySecretNames(
        GenesisCeremony.signingKeySecret(node),
        GenesisCeremony.nodeKeySecret(node),
        node + "-account");
  }

  /** All of them. */
  List<String> all() {
    return List.of(signingKey, nodeKey, account);
  }

  /**
   * The Secrets to create. They have no owner, so that nothing deletes them with the fleet, and
   * cannot be changed.
   */
  List<Secret> render(SeiNodeDeployment fleet, ValidatorKeys keys) {
    return List.of(
        secret(fleet, signingKey, SigningKey.FILE, keys.signingKeyFile()),
        secret(fleet, nodeKey, NodeKey.FILE, keys.nodeKeyFile()),
        secret(fleet, account, CeremonyScript.WORDS_FILE, keys.words()));
  }

  /** The public half of a consensus key, in base64; empty text if the Secret holds none. */
  static String publicKey(Secret signingKey) {
    return text(signingKey, SigningKey.FILE, "/pub_key/value");
  }

  /** The id that this operator computed of a node key; empty text if the Secret holds none. */
  static String nodeId(Secret nodeKey) {
    return text(nodeKey, NodeKey.FILE, "/id");
  }

  private static String text(Secret secret, String file, String pointer) {
    try {
      String content = secret.getData() == null ? "" : secret.getData().getOrDefault(file, "");
      return JSON.readTree(Base64.getDecoder().decode(content)).at(pointer).asText();
    } catch (IOException | IllegalArgumentException e) {
      return "";
    }
  }

  private static Secret secret(SeiNodeDeployment fleet, String name, String file, String content) {
    return new SecretBuilder()
        .withMetadata(
            new ObjectMetaBuilder()
                .withName(name)
                .withNamespace(fleet.getMetadata().getNamespace())
                .addToLabels(Labels.NODE_DEPLOYMENT, fleet.getMetadata().getName())
                .addToAnnotations(GenesisConfigMap.GENESIS_OF, fleet.getMetadata().getUid())
                .build())
        .withType("Opaque")
        .withImmutable(true)
        .withStringData(Map.of(file, content))
        .build();
  }
}
