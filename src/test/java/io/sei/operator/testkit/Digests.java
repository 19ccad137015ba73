package io.sei.operator.testkit;

import io.sei.operator.base.Sha256;
import java.nio.charset.StandardCharsets;

/** Stable made-up identifiers: the same name always gets the same digest. */
final class Digests {
  private Digests() {}

  static String sha256(String text) {
    return Sha256.of(text.getBytes(StandardCharsets.UTF_8), 32);
  }
}
