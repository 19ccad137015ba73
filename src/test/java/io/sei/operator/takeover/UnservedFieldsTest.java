package io.sei.operator.takeover;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Upstream's fields of October, as an API server records who set them. */
class UnservedFieldsTest {

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "seed              | {'f:seed':{'.':{},'f:nodeKey':{'.':{},'f:secret':{}}}} | ''",
        "nodeConfig        | {'f:nodeConfig':{'f:appRef':{'f:name':{}}}}            | spec.nodeConfig",
        "engines           | {'f:consensus':{},'f:executionEngine':{'f:mode':{}}}   | spec.consensus;spec.executionEngine",
        "isolation         | {'f:scheduling':{'.':{},'f:nodeIsolation':{}}}         | spec.scheduling.nodeIsolation",
        "storage           | {'f:dataVolume':{'f:storage':{'f:volumeMode':{}}}} | spec.dataVolume.storage.volumeMode",
        "served            | {'f:fullNode':{'f:freeze':{'f:height':{}},'f:snapshot':{'f:rpcServers':{}}}} | ''",
        "any keys          | {'f:overrides':{'f:a.b':{}},'f:podLabels':{'f:seed':{}}} | ''",
        "types of others   | {'f:resources':{'f:limits':{'f:memory':{}},'f:new':{}}} | ''",
        "item of a list    | {'f:upgrades':{'k:v':{'.':{},'f:name':{},'f:plan':{}}}} | spec.upgrades[].plan",
        "renamed           | {'f:dataVolume':{'f:import':{'f:pvcName':{}}},'f:peers':{}} | ''",
      })
  void areNamedByTheirPaths(String name, String fields, String expected) throws Exception {
    assertThat(UnservedFields.of(set(fields), SeiNodeSpec.class))
        .isEqualTo(expected.isEmpty() ? List.of() : List.of(expected.split(";")));
  }

  /** Two that set the same, and one that set something else. */
  private static JsonNode set(String spec) throws Exception {
    String entry = "{'fieldsV1':{'f:spec':" + spec + "}}";
    return new JsonMapper()
        .readTree(
            ("[" + entry + ",{'fieldsV1':{'f:status':{'f:nodeConfig':{}}}}," + entry + "]")
                .replace('\'', '"'));
  }
}
