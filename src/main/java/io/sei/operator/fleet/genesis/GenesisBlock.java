package io.sei.operator.fleet.genesis;

import io.sei.operator.base.Sha256;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * PURE: the genesis that a ceremony's container has printed, as it stands in the container's log:
 * its length and SHA-256 in a line, then the file compressed and in base64, then a last line. A log
 * that was cut off or rotated lacks one of them.
 */
final class GenesisBlock {

  /** Bytes of the end of a log that hold the largest block: 1 MiB is 1.4 MiB in base64. */
  static final int MAX_LOG = 3 << 19;

  /** More than a ConfigMap can hold. */
  private static final int MAX_COMPRESSED = 1 << 20;

  private static final String BEGIN = "-----BEGIN GENESIS ";

  private static final Pattern BLOCK =
      Pattern.compile(
          BEGIN
              + "(\\d{1,9}) ([0-9a-f]{64})-----\\R([A-Za-z0-9+/=\\r\\n]*+)"
              + "-----END GENESIS-----$",
          Pattern.MULTILINE);

  /** Script that prints a genesis compressed in a file between two marks. */
  static final String SCRIPT =
      """
      echo "-----BEGIN GENESIS $(wc -c < %1$s | tr -d ' ') $(sha256sum < %1$s | cut -c 1-64)-----"
      base64 < %1$s
      echo "-----END GENESIS-----"
      """;

  private GenesisBlock() {}

  /** The compressed file in the last block of a log; empty if that is missing or not whole. */
  static Optional<byte[]> in(String log) {
    int begin = log.lastIndexOf(BEGIN);
    boolean beginsALine = begin == 0 || begin > 0 && log.charAt(begin - 1) == '\n';
    Matcher block = BLOCK.matcher(log);
    return beginsALine && block.region(begin, log.length()).lookingAt()
        ? of(Integer.parseInt(block.group(1)), block.group(2), block.group(3))
        : Optional.empty();
  }

  private static Optional<byte[]> of(int length, String digest, String text) {
    try {
      byte[] compressed = Base64.getMimeDecoder().decode(text);
      if (compressed.length != length
          || length > MAX_COMPRESSED
          || !Sha256.of(compressed, 32).equals(digest)) {
        return Optional.empty();
      }
      return Optional.of(compressed);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
