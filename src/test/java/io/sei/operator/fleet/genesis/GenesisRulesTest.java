package io.sei.operator.fleet.genesis;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.api.validation.FieldError;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GenesisRulesTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Of an account that the Cosmos SDK made, with the prefix of Sei. */
  private static final String ADDRESS = "sei1zq2d9at75ylr8v8dlsqhw0uqfqtrjpnqgcds5s";

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      nullValues = "none",
      value = {
        "4; {}; none",
        "35; {}; none",
        "36; {}; spec.replicas",
        "36; {'overrides':{'staking.params.max_validators':36}}; none",
        "4; {'stakingAmount':'999999usei'}; spec.genesis.stakingAmount",
        "4; {'stakingAmount':'1000000usei'}; none",
        "4; {'stakingAmount':'1000000uatom'}; spec.genesis.stakingAmount",
        "4; {'stakingAmount':'usei rm -rf'}; spec.genesis.stakingAmount",
        "4; {'stakingAmount':'2000000usei','accountBalance':'1999999usei'}; spec.genesis.accountBalance",
        "4; {'accountBalance':'5uusdc'}; spec.genesis.accountBalance",
        "4; {'accountBalance':'$(id)'}; spec.genesis.accountBalance",
        "4; {'accounts':[{'address':'sei1nobody','balance':'5usei'}]}; spec.genesis.accounts[0].address",
        "4; {'accounts':[{'address':'$(id)','balance':'5usei'}]}; spec.genesis.accounts[0].address",
        "4; {'accounts':[{'address':'ADDRESS','balance':'5usei'}]}; none",
        "4; {'accounts':[{'address':'ADDRESS','balance':'5 usei'}]}; spec.genesis.accounts[0].balance",
        "4; {'accounts':[{'address':'ADDRESS','balance':'5usei'},{'address':'ADDRESS','balance':'5usei'}]}; spec.genesis.accounts[1].address",
        "4; {'overrides':{'gov..x':1}}; spec.genesis.overrides[gov..x]",
        "4; {'overrides':{'gov.x':null}}; spec.genesis.overrides[gov.x]",
      })
  void whatMakesNoChainIsRefusedByName(int replicas, String fields, String path)
      throws IOException {
    assertThat(GenesisRules.broken(genesis(fields), replicas).stream().map(FieldError::path))
        .containsExactlyElementsOf(path == null ? List.of() : List.of(path));
  }

  private static Genesis genesis(String fields) throws IOException {
    var all =
        JSON.readTree(
            """
            {"chainId":"lab-1","stakingAmount":"10000000usei",
             "accountBalance":"1000000000000000000000usei,5uusdc"}
            """);
    ((ObjectNode) all)
        .setAll((ObjectNode) JSON.readTree(fields.replace('\'', '"').replace("ADDRESS", ADDRESS)));
    return JSON.treeToValue(all, Genesis.class);
  }
}
