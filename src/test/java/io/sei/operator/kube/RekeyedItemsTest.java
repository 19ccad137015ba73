package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RekeyedItemsTest {

  private static final JsonMapper JSON = new JsonMapper();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[{'name':'a','port':1}]     | [{'name':'a','port':1,'d':2}]                | {}",
        "[{'name':'a','port':1}]     | [{'name':'a','port':9},{'name':'b','port':2}]"
            + " | {'spec':{'ports':[{'name':'b','port':2}]}}",
        "[{'name':'a','port':1}]     | [{'name':'foreign','port':9}]                | {}",
        "[{'name':'c','containerPort':1}] | [{'name':'c','containerPort':9}]"
            + " | {'spec':{'ports':[]}}",
        "[{'name':'c','image':'x'}]  | [{'name':'c','image':'y'}]                   | {}",
      })
  void onlyPortsOfOurNameAndAnotherNumberAreRemoved(String wanted, String live, String patch) {
    assertThat(RekeyedItems.removal(ports(wanted), ports(live))).isEqualTo(json(patch));
  }

  private static JsonNode ports(String list) {
    return json("{'spec':{'ports':" + list + "}}");
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(text, e);
    }
  }
}
