package io.sei.operator.testkit;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 digests in hexadecimal digits. */
final class Digests {
  private Digests() {}

  /** Returns a stable made-up identifier: the same name always gets the same digest. */
  static String sha256(String text) {
    return sha256(text.getBytes(StandardCharsets.UTF_8), 32);
  }

  /** Returns the first bytes of a digest. */
  static String sha256(byte[] content, int bytes) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(content), 0, bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }
}
