package io.sei.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.CelRules.Verdict;
import io.sei.operator.api.v1alpha1.Bounds;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Bounds every field of a custom resource. */
class CrdBoundsTest {

  /** Free-form subtrees, which are limited while they are read. */
  private static final List<String> OF_ANY_SHAPE =
      List.of(
          "spec.configValues[].value",
          "spec.genesis.overrides{}",
          "spec.govParamChange.changes[].value",
          "spec.networking",
          "status.plan.tasks[].params");

  static Stream<CrdFile> crds() {
    return CrdFile.all().stream();
  }

  @ParameterizedTest
  @MethodSource("crds")
  void everyListMapAndTextHasALimit(CrdFile crd) throws IOException {
    var unlimited = new ArrayList<String>();
    fields(crd)
        .forEach(
            (path, field) -> {
              if (isText(field) && field.getMaxLength() == null) {
                unlimited.add(path + ": maxLength");
              }
              if (field.getItems() != null && field.getMaxItems() == null) {
                unlimited.add(path + ": maxItems");
              }
              if (field.getAdditionalProperties() != null && field.getMaxProperties() == null) {
                unlimited.add(path + ": maxProperties");
              }
              if (isOfAnyShape(field)
                  && !OF_ANY_SHAPE.contains(path.replace("spec.template.spec.", "spec."))) {
                unlimited.add(path + ": takes any JSON");
              }
            });

    assertThat(unlimited).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("crds")
  void everyMapOfASpecLimitsItsKeys(CrdFile crd) throws IOException {
    fields(crd)
        .forEach(
            (path, field) -> {
              boolean isMap = path.startsWith("spec.") && field.getAdditionalProperties() != null;
              if (isMap && !isOfAnyShape(field.getAdditionalProperties().getSchema())) {
                assertThat(keys(field, (int) Bounds.MAX_KEY)).as(path).isEqualTo(Verdict.HELD);
                assertThat(keys(field, (int) Bounds.MAX_KEY + 1))
                    .as(path)
                    .isEqualTo(Verdict.BROKEN);
              }
            });
  }

  @Test
  void fieldsOfWhichMoreIsUsedTakeMore() throws IOException {
    Map<String, JSONSchemaProps> fleet = fields(CrdFile.all().get(1));

    assertThat(fleet.get("spec.template.spec.overrides{}").getMaxLength()).isEqualTo(65_536);
    assertThat(fleet.get("spec.template.spec.peers[].static.addresses").getMaxItems())
        .isEqualTo(1000);
    assertThat(fleet.get("spec.template.metadata.annotations{}").getMaxLength()).isEqualTo(262_144);
  }

  private static Verdict keys(JSONSchemaProps map, int length) {
    return CelRules.of(map).evaluate(Map.of("a".repeat(length), "b"), null).stream()
        .filter(evaluated -> evaluated.rule().message().equals(Bounds.KEY_MESSAGE))
        .map(CelRules.Evaluated::verdict)
        .findFirst()
        .orElseThrow();
  }

  private static boolean isText(JSONSchemaProps field) {
    return ("string".equals(field.getType())
            || Boolean.TRUE.equals(field.getXKubernetesIntOrString()))
        && field.getFormat() == null
        && (field.getEnum() == null || field.getEnum().isEmpty());
  }

  private static boolean isOfAnyShape(JSONSchemaProps field) {
    return Boolean.TRUE.equals(field.getXKubernetesPreserveUnknownFields());
  }

  private static Map<String, JSONSchemaProps> fields(CrdFile crd) throws IOException {
    var definition =
        Serialization.unmarshal(Files.readString(crd.path()), CustomResourceDefinition.class);
    JSONSchemaProps schema =
        definition.getSpec().getVersions().getFirst().getSchema().getOpenAPIV3Schema();
    var fields = new TreeMap<String, JSONSchemaProps>();
    schema.getProperties().forEach((name, field) -> collect(name, field, fields));
    fields.keySet().removeIf(path -> !path.startsWith("spec") && !path.startsWith("status"));
    assertThat(fields).isNotEmpty();
    return fields;
  }

  private static void collect(
      String path, JSONSchemaProps field, Map<String, JSONSchemaProps> fields) {
    fields.put(path, field);
    if (field.getProperties() != null) {
      field.getProperties().forEach((name, it) -> collect(path + "." + name, it, fields));
    }
    if (field.getItems() != null) {
      collect(path + "[]", field.getItems().getSchema(), fields);
    }
    if (field.getAdditionalProperties() != null) {
      collect(path + "{}", field.getAdditionalProperties().getSchema(), fields);
    }
  }
}
