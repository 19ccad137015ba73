package io.sei.operator.fleet.genesis;

import io.sei.operator.base.Sha256;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/**
 * PURE: the genesis that a ceremony's container has printed, as it stands in the container's log:
 * its length and SHA-256 in a line, then the file compressed and in base64, then a last line. A log
 * that was cut off or rotated lacks one of them.
 *
 * @param json the file
 */
record GenesisBlock(String json) {

  /** What a log holds before the kubelet rotates it, by default 10 MiB, in base64; in bytes. */
  private static final int MAX_COMPRESSED = 7 << 20;

  /** A genesis of thousands of accounts, in bytes. */
  private static final int MAX_JSON = 64 << 20;

  private static final Pattern BLOCK =
      Pattern.compile(
          "^-----BEGIN GENESIS (\\d{1,9}) ([0-9a-f]{64})-----\\R([A-Za-z0-9+/=\\r\\n]*)"
              + "^-----END GENESIS-----$",
          Pattern.MULTILINE);

  /** What a ceremony prints around the genesis that it has compressed to a file. */
  static final String SCRIPT =
      """
      echo "-----BEGIN GENESIS $(wc -c < %1$s | tr -d ' ') $(sha256sum < %1$s | cut -c 1-64)-----"
      base64 < %1$s
      echo "-----END GENESIS-----"
      """;

  /** The last whole block of a log; empty if there is none. */
  static Optional<GenesisBlock> in(String log) {
    Matcher block = BLOCK.matcher(log);
    Optional<GenesisBlock> last = Optional.empty();
    while (block.find()) {
      last = of(Integer.parseInt(block.group(1)), block.group(2), block.group(3));
    }
    return last;
  }

  private static Optional<GenesisBlock> of(int length, String digest, String text) {
    try {
      byte[] compressed = Base64.getMimeDecoder().decode(text);
      if (compressed.length != length
          || length > MAX_COMPRESSED
          || !Sha256.of(compressed, 32).equals(digest)) {
        return Optional.empty();
      }
      return json(compressed).map(GenesisBlock::new);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** A compressed text; empty if it is none, or longer than a genesis. */
  static Optional<String> json(byte[] compressed) {
    try (var file = new GZIPInputStream(new ByteArrayInputStream(compressed))) {
      byte[] json = file.readNBytes(MAX_JSON + 1);
      return Optional.of(json)
          .filter(it -> it.length <= MAX_JSON)
          .map(it -> new String(it, StandardCharsets.UTF_8));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
