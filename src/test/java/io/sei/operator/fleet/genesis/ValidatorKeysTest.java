package io.sei.operator.fleet.genesis;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sei.operator.base.Sha256;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Keys as Tendermint's tools make them, and as seid reads them. */
class ValidatorKeysTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final ValidatorKeys keys = ValidatorKeys.make(new SecureRandom());

  /** Vectors of BIP-39, of 32 equal bytes. */
  @ParameterizedTest
  @CsvSource({
    "00, abandon abandon abandon, abandon abandon art",
    "7f, legal winner thank, sausage worth title",
    "80, letter advice cage, doctor acoustic bless",
    "ff, zoo zoo zoo, zoo zoo vote",
  })
  void wordsAreThoseOfTheStandard(String bits, String start, String end) {
    byte[] entropy = new byte[Mnemonic.ENTROPY_BYTES];
    Arrays.fill(entropy, (byte) Integer.parseInt(bits, 16));

    assertThat(Mnemonic.of(entropy).split(" ")).hasSize(24);
    assertThat(Mnemonic.of(entropy)).startsWith(start).endsWith(end);
  }

  @Test
  void filesHoldTheKeysThatAreKnownByThem() throws Exception {
    JsonNode signing = JSON.readTree(keys.signingKeyFile());
    byte[] publicKey = Base64.getDecoder().decode(keys.publicKey());

    assertThat(end(signing)).isEqualTo(publicKey);
    assertThat(signing.at("/pub_key/value").asText()).isEqualTo(keys.publicKey());
    assertThat(signing.path("address").asText())
        .isEqualToIgnoringCase(Sha256.of(publicKey, 20))
        .isUpperCase();
    assertThat(keys.nodeId())
        .isEqualTo(Sha256.of(end(JSON.readTree(keys.nodeKeyFile())), 20))
        .isEqualTo(JSON.readTree(keys.nodeKeyFile()).path("id").asText());
  }

  @Test
  void noTwoAreTheSameAndNoneIsSaid() {
    ValidatorKeys others = ValidatorKeys.make(new SecureRandom());

    assertThat(others.publicKey()).isNotEqualTo(keys.publicKey());
    assertThat(others.nodeId()).isNotEqualTo(keys.nodeId());
    assertThat(others.words()).isNotEqualTo(keys.words());
    assertThat(keys).hasToString("keys of node " + keys.nodeId());
  }

  private static byte[] end(JsonNode file) {
    byte[] key = Base64.getDecoder().decode(file.at("/priv_key/value").asText());
    assertThat(key).hasSize(64);
    return Arrays.copyOfRange(key, 32, 64);
  }
}
