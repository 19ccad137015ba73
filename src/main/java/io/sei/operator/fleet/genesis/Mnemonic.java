package io.sei.operator.fleet.genesis;

import io.sei.operator.base.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** PURE: the words of an account, as BIP-39 makes them of entropy. */
final class Mnemonic {

  /** Number of bytes that 24 words encode. */
  static final int ENTROPY_BYTES = 32;

  private static final int WORDS = 24;
  private static final int BITS_OF_A_WORD = 11;
  private static final List<String> LIST = list();

  private Mnemonic() {}

  /**
   * The 24 words, with a blank between two.
   *
   * @param entropy {@link #ENTROPY_BYTES} bytes
   */
  static String of(byte[] entropy) {
    if (entropy.length != ENTROPY_BYTES) {
      throw new IllegalArgumentException("24 words stand for 32 bytes");
    }
    byte[] checksum = HexFormat.of().parseHex(Sha256.of(entropy, 1));
    BigInteger bits = new BigInteger(1, entropy).shiftLeft(8).or(new BigInteger(1, checksum));
    BigInteger mask = BigInteger.valueOf(LIST.size() - 1L);
    return IntStream.range(0, WORDS)
        .map(place -> (WORDS - 1 - place) * BITS_OF_A_WORD)
        .mapToObj(shift -> LIST.get(bits.shiftRight(shift).and(mask).intValue()))
        .collect(Collectors.joining(" "));
  }

  /** The English list of BIP-39, which is in the public domain. */
  private static List<String> list() {
    try (InputStream file = Mnemonic.class.getResourceAsStream("bip39-english.txt")) {
      return new String(file.readAllBytes(), StandardCharsets.US_ASCII).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
