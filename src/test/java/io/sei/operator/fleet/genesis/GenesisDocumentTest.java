package io.sei.operator.fleet.genesis;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.testkit.CeremonyLogs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GenesisDocumentTest {

  /** Genesis as collect-gentxs of Cosmos SDK 0.45.16 writes it, shortened. */
  private static final String COLLECTED =
      """
      {"chain_id":"lab-1","app_state":{
        "bank":{"supply":[{"denom":"usei","amount":"100000000000000000000000000000"}]},
        "staking":{"params":{"max_validators":35}},
        "genutil":{"gen_txs":[
          {"body":{"messages":[{"@type":"/cosmos.staking.v1beta1.MsgCreateValidator",
            "pubkey":{"@type":"/cosmos.crypto.ed25519.PubKey","key":"a="}}]}},
          {"body":{"messages":[{"@type":"/cosmos.staking.v1beta1.MsgCreateValidator",
            "pubkey":{"@type":"/cosmos.crypto.ed25519.PubKey","key":"b="}}]}}]}}}
      """;

  private final GenesisDocument document = of(COLLECTED).orElseThrow();

  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      value = {
        "lab-1, b= a=, none",
        "lab-2, a= b=, it belongs to chain lab-1",
        "lab-1, a=, it has 2 validators instead of 1",
        "lab-1, a= c=, a validator of it has another key than its Secret",
      })
  void isOfTheChainAndTheKeysThatWereAskedFor(String chain, String keys, String defect) {
    var genesis = new Genesis(chain, null, null, null, null, null);

    assertThat(document.defect(genesis, List.of(keys.split(" "))))
        .isEqualTo(Optional.ofNullable(defect));
  }

  @Test
  void fieldsOfTheAppStateAreSetByTheirPath() {
    Map<String, JsonNode> overrides =
        Map.of(
            "staking.params.max_validators", IntNode.valueOf(50),
            "staking.params.unbonding_time", TextNode.valueOf("60s"));

    assertThat(document.override(overrides)).isEmpty();

    assertThat(document.root().at("/app_state/staking/params"))
        .hasToString("{\"max_validators\":50,\"unbonding_time\":\"60s\"}");
    assertThat(document.override(Map.of("nowhere.params.x", IntNode.valueOf(1))))
        .hasValue("nowhere.params.x");
  }

  /** A seid v6.4.4 with these lines in its genesis made blocks at once. */
  @Test
  void validatorsAreNamedAsTendermintDoes() {
    GenesisDocument staked =
        of("""
        {"validators":null,"app_state":{"genutil":{"gen_txs":[{"body":{"messages":[
          {"description":{"moniker":"net-0"},
           "pubkey":{"key":"SeA3vzNlvQ31NnBIbE9rf4fzwPA9T5DqrQz5bHQWso0="},
           "value":{"denom":"usei","amount":"10999999"}}]}}]}}}
        """)
            .orElseThrow();

    staked.nameValidators();

    assertThat(staked.root().get("validators"))
        .hasToString(
            "[{\"address\":\"850FB6CBCA56C5130E09B5C31148376CD042B04C\","
                + "\"pub_key\":{\"type\":\"tendermint/PubKeyEd25519\","
                + "\"value\":\"SeA3vzNlvQ31NnBIbE9rf4fzwPA9T5DqrQz5bHQWso0=\"},"
                + "\"power\":\"10\",\"name\":\"net-0\"}]");
  }

  @Test
  void nothingElseOfItChanges() {
    assertThat(document.root().at("/app_state/bank/supply/0/amount").asText())
        .isEqualTo("100000000000000000000000000000");
    assertThat(of("[]")).isEmpty();
    assertThat(of("{")).isEmpty();
    assertThat(of("{}{}")).isEmpty();
  }

  @Test
  void whatIsNoGzipOrNotWholeIsNoGenesis() throws IOException {
    byte[] whole = CeremonyLogs.compressed(COLLECTED);

    assertThat(GenesisDocument.of("x".getBytes(StandardCharsets.UTF_8))).isEmpty();
    assertThat(GenesisDocument.of(Arrays.copyOf(whole, whole.length - 4))).isEmpty();
  }

  private static Optional<GenesisDocument> of(String json) {
    try {
      return GenesisDocument.of(CeremonyLogs.compressed(json));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void moreThanAConfigMapHoldsIsNotStored() {
    assertThat(document.stored()).isPresent();
    document.root().put("noise", new java.util.Random(1).ints(1 << 19).boxed().toList().toString());

    assertThat(document.stored()).isEmpty();
  }
}
