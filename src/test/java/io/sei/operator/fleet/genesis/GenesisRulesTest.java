package io.sei.operator.fleet.genesis;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sei.operator.api.v1alpha1.Genesis;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.validation.FieldError;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GenesisRulesTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Address of an account that the Cosmos SDK made, with the prefix of Sei. */
  private static final String ADDRESS = "sei1zq2d9at75ylr8v8dlsqhw0uqfqtrjpnqgcds5s";

  private static final String GENESIS =
      """
      {"chainId":"lab-1","stakingAmount":"10000000usei",
       "accountBalance":"1000000000000000000000usei,5uusdc"}
      """;

  private static final String TEMPLATE =
      """
      {"chainId":"lab-1","image":"sei:a","validator":{}}
      """;

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
        "4; {'accounts':[{'address':'ADDRESS','balance':'5usei','vesting':{'amount':'5usei','endTime':101}}]}; none",
        "4; {'accounts':[{'address':'ADDRESS','balance':'5usei','vesting':{'amount':'6usei','endTime':101}}]}; spec.genesis.accounts[0].vesting.amount",
        "4; {'accounts':[{'address':'ADDRESS','balance':'5usei','vesting':{'amount':'1uatom','endTime':101}}]}; spec.genesis.accounts[0].vesting.amount",
        "4; {'accounts':[{'address':'ADDRESS','balance':'5usei','vesting':{'amount':'$(id)','endTime':101}}]}; spec.genesis.accounts[0].vesting.amount",
        "4; {'accounts':[{'address':'ADDRESS','balance':'5usei','vesting':{'amount':'5usei','endTime':100,'delayed':true}}]}; spec.genesis.accounts[0].vesting.endTime",
        "4; {'accounts':[{'address':'ADDRESS','balance':'x','vesting':{'amount':'5usei','endTime':101}}]}; spec.genesis.accounts[0].balance",
        "4; {'overrides':{'gov..x':1}}; spec.genesis.overrides[gov..x]",
        "4; {'overrides':{'gov.x':null}}; spec.genesis.overrides[gov.x]",
      })
  void whatMakesNoChainIsRefusedByName(int replicas, String fields, String path)
      throws IOException {
    assertThat(broken(replicas, genesis(fields), TEMPLATE))
        .containsExactlyElementsOf(path == null ? List.of() : List.of(path));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "{'chainId':'lab-2'}; chainId",
        "{'genesis':{'configMap':{'name':'x'}}}; genesis",
        "{'dataVolume':{'import':{'pvcName':'x'}}}; dataVolume",
        "{'dataVolume':{'from':{}}}; dataVolume",
        "{'validator':null}; validator",
        "{'validator':{'snapshot':{}}}; validator.snapshot",
        "{'validator':{'signingKey':{}}}; validator.signingKey",
        "{'validator':{'nodeKey':{}}}; validator.nodeKey",
        "{'validator':{'genesisCeremony':{}}}; validator.genesisCeremony",
      })
  void templateThatBeginsWithAnythingElseIsRefusedByName(String fields, String path)
      throws IOException {
    assertThat(broken(4, genesis("{}"), merged(TEMPLATE, fields)))
        .containsExactly("spec.template.spec." + path);
  }

  @ParameterizedTest
  @CsvSource({"20m, 1200", "1h30m, 5400", "1s, 1", "0s, -1", "25h, -1", "soon, -1"})
  void jobHasALimit(String text, long seconds) throws IOException {
    assertThat(GenesisRules.limit(genesis("{'maxCeremonyDuration':'%s'}".formatted(text))))
        .isEqualTo(seconds < 0 ? Optional.empty() : Optional.of(Duration.ofSeconds(seconds)));
  }

  private static List<String> broken(int replicas, Genesis genesis, String template)
      throws IOException {
    var spec =
        SeiNodeDeploymentSpecBuilder.builder()
            .replicas(replicas)
            .genesis(genesis)
            .template(new NodeTemplate(null, JSON.readValue(template, SeiNodeSpec.class)))
            .build();
    return GenesisRules.broken(spec, Instant.ofEpochSecond(100)).stream()
        .map(FieldError::path)
        .toList();
  }

  private static String merged(String json, String fields) throws IOException {
    var all = (ObjectNode) JSON.readTree(json);
    all.setAll((ObjectNode) JSON.readTree(fields.replace('\'', '"')));
    return all.toString();
  }

  private static Genesis genesis(String fields) throws IOException {
    return JSON.readValue(merged(GENESIS, fields.replace("ADDRESS", ADDRESS)), Genesis.class);
  }
}
