package io.sei.operator.kube;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Toleration;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchemaGapsTest {

  private record Model(
      String text,
      @JsonProperty("import") Part renamed,
      List<Part> list,
      Map<String, Part> map,
      Map<String, Quantity> quantities,
      List<Toleration> tolerations) {}

  private record Part(Integer number) {}

  private static final String PART = "{type: object, properties: {number: {type: integer}}}";

  private static final String WHOLE =
      """
      properties:
        text: {type: string}
        import: PART
        list: {type: array, items: PART}
        map: {type: object, additionalProperties: PART}
        quantities: {type: object, additionalProperties: {x-kubernetes-int-or-string: true}}
        tolerations: {type: array, items: {type: object}}
      """;

  @Test
  void aSchemaWithEveryFieldHasNone() throws IOException {
    assertThat(gaps(WHOLE)).isEmpty();
  }

  @Test
  void aNewerSchemaHasNone() throws IOException {
    assertThat(gaps(WHOLE + "  later: {type: string}\n")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'text: {type: string}' | 'other: {type: string}' | spec.text",
        "'import: PART' | 'other: PART' | spec.import",
        "'tolerations:' | 'tolerance:' | spec.tolerations",
        "'type: array, items: PART' | 'type: array, items: {type: object}' | spec.list.number",
        "'additionalProperties: PART' | 'additionalProperties: {type: object}' | spec.map.number",
        "'additionalProperties: PART' | 'x-kubernetes-preserve-unknown-fields: true' | ''",
      })
  void aFieldThatIsMissingIsNamed(String present, String instead, String gap) throws IOException {
    assertThat(WHOLE).contains(present);

    assertThat(String.join(", ", gaps(WHOLE.replace(present, instead)))).isEqualTo(gap);
  }

  @Test
  void ofWhatIsMissingAsAWholeNothingElseIsSaid() throws IOException {
    assertThat(SchemaGaps.of(Model.class, "status", new YAMLMapper().readTree("{}").path("none")))
        .containsExactly("status");
  }

  private static List<String> gaps(String schema) throws IOException {
    JsonNode tree = new YAMLMapper().readTree(schema.replace("PART", PART));
    return SchemaGaps.of(Model.class, "spec", tree);
  }
}
