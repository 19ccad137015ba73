package io.sei.operator.fleet.genesis;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.base.BoundedGzip;
import io.sei.operator.base.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.zip.GZIPOutputStream;

/**
 * PURE: a genesis between the tools that made it and the ConfigMap that keeps it.
 *
 * @param root the document
 */
record GenesisDocument(ObjectNode root) {

  /** Size that a ConfigMap may hold, less what its metadata may take; in bytes, in base64. */
  private static final int MAX_STORED = (1 << 20) - (16 << 10);

  /** Message of a transaction by which a validator stakes, with its public key. */
  private static final String STAKING = "/body/messages/0";

  private static final String KEY = "/pubkey/key";
  private static final String KEY_TYPE = "tendermint/PubKeyEd25519";

  /** Stake of one unit of power. */
  private static final long COINS_OF_POWER = 1_000_000;

  /** Heights and supplies are text in it, and powers may be more than a double can hold. */
  private static final JsonMapper JSON =
      Json.builder()
          .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  /**
   * The document in a compressed text; empty if it is none.
   *
   * @throws BoundedJson.TooLarge if the heap is too small for it
   */
  static Optional<GenesisDocument> of(byte[] compressed) throws BoundedJson.TooLarge {
    // As text: seid refuses UTF-16, which the parser of bytes understands.
    try (var file = new BoundedGzip(compressed, BoundedJson.MAX_TEXT);
        var text = new InputStreamReader(file, StandardCharsets.UTF_8);
        var parser = BoundedJson.tokens(JSON.createParser(text))) {
      JsonNode root = JSON.readTree(parser);
      // Only the whole file has the right checksum.
      return root instanceof ObjectNode object && parser.nextToken() == null
          ? Optional.of(new GenesisDocument(object))
          : Optional.empty();
    } catch (BoundedJson.TooLarge e) {
      throw e;
    } catch (BoundedGzip.TooLarge e) {
      throw new BoundedJson.TooLarge();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * The document in what {@link #stored} has made; empty if it has not.
   *
   * @throws BoundedJson.TooLarge if the heap is too small for it
   */
  static Optional<GenesisDocument> ofStored(String stored) throws BoundedJson.TooLarge {
    try {
      return of(Base64.getDecoder().decode(stored));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /**
   * Sets these fields of the app state, by dotted path; returns an error, if there is one.
   *
   * @return the path of what cannot be set, if there is one
   */
  Optional<String> override(Map<String, JsonNode> overrides) {
    for (var entry : overrides.entrySet()) {
      List<String> path = List.of(entry.getKey().split("[.]"));
      JsonNode at = root.path("app_state");
      for (String name : path.subList(0, path.size() - 1)) {
        at = at.path(name);
      }
      if (!(at instanceof ObjectNode parent)) {
        return Optional.of(entry.getKey());
      }
      parent.set(path.getLast(), entry.getValue());
    }
    return Optional.empty();
  }

  /**
   * Returns the difference from the requested chain; empty without one.
   *
   * @param publicKeys of the validators' consensus keys, in base64
   */
  Optional<String> defect(Genesis genesis, List<String> publicKeys) {
    String chain = root.path("chain_id").asText();
    if (!chain.equals(genesis.chainId())) {
      return Optional.of("it belongs to chain " + chain);
    }
    var staking = new ArrayList<String>();
    for (JsonNode transaction : transactions()) {
      staking.add(transaction.at(STAKING + KEY).asText());
    }
    if (staking.size() != publicKeys.size()) {
      return Optional.of(
          "it has %d validators instead of %d".formatted(staking.size(), publicKeys.size()));
    }
    return new TreeSet<>(staking).equals(new TreeSet<>(publicKeys))
        ? Optional.empty()
        : Optional.of("a validator of it has another key than its Secret");
  }

  private JsonNode transactions() {
    return root.path("app_state").path("genutil").path("gen_txs");
  }

  /**
   * Names the validators outside of the app's state too, where the tools leave them out. Without
   * that a seid that is the only one waits for peers before its first block (seen on v6.4.4).
   */
  void nameValidators() {
    ArrayNode validators = root.putArray("validators");
    for (JsonNode transaction : transactions()) {
      JsonNode staking = transaction.at(STAKING);
      String key = staking.at(KEY).asText();
      byte[] bytes = Base64.getDecoder().decode(key);
      ObjectNode validator = validators.addObject();
      validator.put("address", ValidatorKeys.address(bytes).toUpperCase(Locale.ROOT));
      validator.putObject("pub_key").put("type", KEY_TYPE).put("value", key);
      validator.put("power", String.valueOf(staking.at("/value/amount").asLong() / COINS_OF_POWER));
      validator.put("name", staking.at("/description/moniker").asText());
    }
  }

  /** Returns the content of the ConfigMap, in base64; empty if it is too large for one. */
  Optional<String> stored() {
    var bytes = new ByteArrayOutputStream();
    try (OutputStream file = new GZIPOutputStream(bytes)) {
      JSON.writeValue(file, root);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Optional.of(Base64.getEncoder().encodeToString(bytes.toByteArray()))
        .filter(text -> text.length() <= MAX_STORED);
  }
}
