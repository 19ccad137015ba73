package io.sei.operator.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class Sha256Test {

  /** The example of FIPS 180-2. */
  private static final String OF_ABC =
      "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

  @Test
  void aDigestIsWhatOtherProgramsComputeToo() {
    assertThat(Sha256.of(new byte[] {'a', 'b', 'c'}, 32)).isEqualTo(OF_ABC);
    assertThat(Sha256.shortOf("abc")).isEqualTo(OF_ABC.substring(0, 16));
  }
}
