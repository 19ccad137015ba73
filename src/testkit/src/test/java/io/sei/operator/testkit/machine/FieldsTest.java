package io.sei.operator.testkit.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FieldsTest {

  private static final String OBJECT =
      """
      {"metadata":{"labels":{"sei.io/height":"7"},"finalizers":["a","b"]},
       "status":{"phase":"Running","ready":true,"conditions":[
         {"type":"Ready","status":"False","reason":"Held"},{"type":"Held","status":"True"}]}}\
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "status.phase | Running",
        "status.ready | true",
        "status.conditions[?(@.type=='Ready')].reason | Held",
        "status.conditions[1].type | Held",
        "status.conditions[*].status | False True",
        "metadata.labels.sei\\.io/height | 7",
        "metadata.finalizers | [\"a\",\"b\"]",
        "status.none.phase | ''",
        "status.conditions[?(@.type=='Paused')].status | ''",
      })
  void isWhatKubectlPrints(String path, String expected) throws JsonProcessingException {
    assertThat(Fields.at(new ObjectMapper().readTree(OBJECT), path)).isEqualTo(expected);
  }

  @Test
  void pathThatIsNotUnderstoodIsNotEmpty() throws JsonProcessingException {
    var object = new ObjectMapper().readTree(OBJECT);

    assertThatThrownBy(() -> Fields.at(object, "status.conditions[-1:]"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
