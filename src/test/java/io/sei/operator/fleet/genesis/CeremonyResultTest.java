package io.sei.operator.fleet.genesis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.testkit.CeremonyLogs;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CeremonyResultTest {

  private static final String MADE =
      """
      {"chain_id":"lab-1","app_state":{"gov":{"params":{"period":1}},"genutil":{"gen_txs":[
        {"body":{"messages":[{"pubkey":{"key":"YQ=="}}]}}]}}}
      """;

  @ParameterizedTest
  @CsvSource({
    "lab-2, gov.params.period, YQ==, the genesis is wrong: it belongs to chain lab-1",
    "lab-1, gov.votes.period, YQ==, the genesis has no place for spec.genesis.overrides[gov.votes.period]",
    "lab-1, gov.params.period, Yg==, the genesis is wrong: a validator of it has another key than its Secret",
  })
  void whatIsNotTheGenesisThatWasAskedForIsRefused(
      String chain, String override, String key, String why) throws IOException {
    assertThat(of(CeremonyLogs.block(MADE), chain, override, key))
        .isEqualTo(new CeremonyResult.Bad(why));
  }

  @Test
  void logWithoutAWholeGenesisIsRefused() throws IOException {
    String whole = CeremonyLogs.block(MADE);
    String cut = whole.substring(0, whole.indexOf("-----END"));

    assertThat(of(cut, "lab-1", "gov.params.period", "YQ=="))
        .isEqualTo(new CeremonyResult.Bad("the log of the ceremony has no whole genesis"));
    assertThat(of(whole, "lab-1", "gov.params.period", "YQ=="))
        .isInstanceOf(CeremonyResult.Good.class);
  }

  @Test
  void genesisThatIsStoredNamesItsValidators() throws IOException {
    var good =
        (CeremonyResult.Good) of(CeremonyLogs.block(MADE), "lab-1", "gov.params.period", "YQ==");
    var stored = new ByteArrayInputStream(Base64.getDecoder().decode(good.stored()));

    try (var genesis = new GZIPInputStream(stored)) {
      assertThat(genesis).asString(UTF_8).contains("\"validators\":[{\"address\":");
    }
  }

  private static CeremonyResult of(String log, String chain, String override, String key) {
    Map<String, JsonNode> overrides = Map.of(override, IntNode.valueOf(60));
    return CeremonyResult.of(
        log, new Genesis(chain, null, null, null, overrides, null), List.of(key));
  }
}
