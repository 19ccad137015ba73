package io.sei.operator.render;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The first 64 bits of a SHA-256, in hexadecimal digits; they stand in names and on pods. */
final class ShortDigest {

  // A node's few dozen specs do not collide, and the stamp stays readable.
  private static final int BYTES = 8;

  private ShortDigest() {}

  static String of(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }
}
