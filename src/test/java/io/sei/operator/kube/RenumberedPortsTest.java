package io.sei.operator.kube;

import static io.sei.operator.testkit.SingleQuoted.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RenumberedPortsTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[{'name':'a','port':1}]     | [{'name':'a','port':1,'d':2}]                | {}",
        "[{'name':'a','port':1}]     | [{'name':'a','port':9},{'name':'b','port':2}]"
            + " | {'spec':{'ports':[{'name':'a','port':1},{'name':'b','port':2}]}}",
        "[{'name':'a','port':1}]     | [{'name':'a','port':9},{'name':'a','port':1,'d':2}]"
            + " | {'spec':{'ports':[{'name':'a','port':1,'d':2}]}}",
        "[{'name':'a','port':1}]     | [{'name':'foreign','port':9}]                | {}",
        "[{'name':'c','containerPort':1}] | [{'name':'c','containerPort':9}]"
            + " | {'spec':{'ports':[{'name':'c','containerPort':1}]}}",
        "[{'name':'c','image':'x'}]  | [{'name':'c','image':'y'}]                   | {}",
      })
  void onlyPortsOfOurNameAndAnotherNumberAreChanged(String wanted, String live, String patch) {
    assertThat(RenumberedPorts.patch(ports(wanted), ports(live))).isEqualTo(json(patch));
  }

  private static JsonNode ports(String list) {
    return json("{'spec':{'ports':" + list + "}}");
  }
}
