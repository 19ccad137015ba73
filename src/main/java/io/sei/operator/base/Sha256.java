package io.sei.operator.base;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** PURE: the first bytes of a SHA-256, in hexadecimal digits. */
public final class Sha256 {

  // 64 bits: the few dozen specs of a node do not collide, and a name or stamp stays readable.
  private static final int SHORT = 8;

  private Sha256() {}

  /** Returns the digest of a text, short enough for names and annotations. */
  public static String shortOf(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8), SHORT);
  }

  /**
   * Returns the digest of any content.
   *
   * @param bytes how many of the 32 are wanted
   */
  public static String of(byte[] content, int bytes) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(content), 0, bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }
}
