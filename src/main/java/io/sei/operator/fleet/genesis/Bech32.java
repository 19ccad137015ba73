package io.sei.operator.fleet.genesis;

/** PURE: the checksum of an address, as BIP-173 has it. */
final class Bech32 {

  private static final String CHARACTERS = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
  private static final int[] GENERATOR = {
    0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3
  };
  private static final int LOW_BITS = 0x1ffffff;

  private Bech32() {}

  /**
   * Returns whether the checksum is that of the rest.
   *
   * @param address in lower case, with a 1 between prefix and data
   */
  static boolean isValid(String address) {
    int separator = address.lastIndexOf('1');
    String prefix = address.substring(0, separator);
    int sum = 1;
    for (char character : prefix.toCharArray()) {
      sum = next(sum, character >> 5);
    }
    sum = next(sum, 0);
    for (char character : prefix.toCharArray()) {
      sum = next(sum, character & 31);
    }
    for (char character : address.substring(separator + 1).toCharArray()) {
      sum = next(sum, CHARACTERS.indexOf(character));
    }
    return sum == 1;
  }

  private static int next(int sum, int value) {
    int top = sum >>> 25;
    int next = (sum & LOW_BITS) << 5 ^ value;
    for (int bit = 0; bit < GENERATOR.length; bit++) {
      next ^= (top >>> bit & 1) == 1 ? GENERATOR[bit] : 0;
    }
    return next;
  }
}
