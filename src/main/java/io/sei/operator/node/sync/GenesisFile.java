package io.sei.operator.node.sync;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.sei.operator.api.v1alpha1.NodeGenesis.ConfigMapKey;
import io.sei.operator.api.v1alpha1.StallReason;
import io.sei.operator.base.BoundedGzip;
import io.sei.operator.base.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/** PURE: whether the genesis in a ConfigMap is one of a node's chain. */
final class GenesisFile {

  /** Largest compressed genesis that fits a ConfigMap, in bytes. */
  private static final int MAX_SIZE = 64 << 20;

  /** Characters of a chain id; seid takes no more than 50. */
  private static final int MAX_CHAIN_ID = 1 << 10;

  private static final JsonFactory JSON = Json.parsers(MAX_CHAIN_ID);

  private GenesisFile() {}

  /** Why a genesis cannot be used. */
  record Defect(StallReason reason, String message) {}

  /** Returns the defect of the genesis; empty without one. */
  static Optional<Defect> defect(
      ConfigMapKey given, Optional<ConfigMap> configMap, String chainId) {
    if (configMap.isEmpty()) {
      return missing("ConfigMap " + given.name() + " does not exist");
    }
    Optional<byte[]> content = content(given, configMap.get());
    return content.isEmpty()
        ? missing(
            "ConfigMap %s has no key %s in %s"
                .formatted(
                    given.name(),
                    given.keyOrDefault(),
                    given.isCompressed() ? "binaryData" : "data"))
        : ofContent(given, content.get(), chainId);
  }

  private static Optional<Defect> ofContent(ConfigMapKey given, byte[] content, String chainId) {
    Optional<String> chain;
    try (InputStream file = open(given, content)) {
      chain = chainOf(file);
    } catch (IOException e) {
      // What the parser says quotes what it read.
      return missing(
          "%s is not %sJSON"
              .formatted(given, given.isCompressed() ? "a gzip file of less than 64 MiB of " : ""));
    }
    if (chain.isEmpty()) {
      return missing(given + " is no genesis: it has no chain_id");
    }
    return chain.get().equals(chainId)
        ? Optional.empty()
        : Optional.of(
            new Defect(
                StallReason.GENESIS_MISMATCH,
                "%s is the genesis of chain %s, and spec.chainId is %s"
                    .formatted(given, chain.get(), chainId)));
  }

  private static Optional<byte[]> content(ConfigMapKey given, ConfigMap configMap) {
    Map<String, String> from =
        given.isCompressed() ? configMap.getBinaryData() : configMap.getData();
    return Optional.ofNullable(from)
        .map(values -> values.get(given.keyOrDefault()))
        .map(
            text ->
                given.isCompressed()
                    ? Base64.getDecoder().decode(text)
                    : text.getBytes(StandardCharsets.UTF_8));
  }

  private static InputStream open(ConfigMapKey given, byte[] content) throws IOException {
    return given.isCompressed()
        ? new BoundedGzip(content, MAX_SIZE)
        : new ByteArrayInputStream(content);
  }

  /** Reads all of it, since a file that was cut off may name its chain at the beginning. */
  private static Optional<String> chainOf(InputStream file) throws IOException {
    Optional<String> chain = Optional.empty();
    // As text: seid refuses a byte order mark and UTF-16, which the parser of bytes understands.
    try (var text = new InputStreamReader(file, StandardCharsets.UTF_8);
        JsonParser parser = JSON.createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("not an object");
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        boolean isChain = parser.currentName().equals("chain_id");
        if (parser.nextToken() == JsonToken.VALUE_STRING && isChain) {
          chain = Optional.of(parser.getText());
        }
        parser.skipChildren();
      }
      if (parser.currentToken() != JsonToken.END_OBJECT || parser.nextToken() != null) {
        throw new IOException("more than an object");
      }
    }
    return chain;
  }

  private static Optional<Defect> missing(String message) {
    return Optional.of(new Defect(StallReason.GENESIS_MISSING, message));
  }
}
