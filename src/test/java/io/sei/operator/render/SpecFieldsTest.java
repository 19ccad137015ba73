package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.sei.operator.api.v1alpha1.DataVolume;
import io.sei.operator.api.v1alpha1.NodeTemplate;
import io.sei.operator.api.v1alpha1.SeiNodeDeploymentSpecBuilder;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.validation.FieldError;
import io.sei.operator.api.validation.FleetValidation;
import io.sei.operator.render.SpecFields.Scope;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every field of a spec has an answer to what a change of it does. */
class SpecFieldsTest {

  private static final List<String> PATHS = SpecFields.paths(any -> true).toList();

  @Test
  void everyFieldOfASpecHasARow() {
    assertThat(PATHS).doesNotHaveDuplicates().containsAll(fields("", SeiNodeSpec.class).toList());
  }

  @Test
  void everyRowIsOfAField() {
    assertThat(Stream.concat(fields("", SeiNodeSpec.class), Stream.of(modes()))).containsAll(PATHS);
  }

  @Test
  void noTemplateMaySayWhatBelongsToOneNodeAlone() {
    SeiNodeSpec spec =
        Nodes.full()
            .withDataResetGeneration(1L)
            .withDataVolume(new DataVolume(null, null, null, null, "uid"));
    var fleet =
        SeiNodeDeploymentSpecBuilder.builder()
            .replicas(1)
            .template(new NodeTemplate(null, spec))
            .build();

    assertThat(FleetValidation.validate(fleet).stream().map(FieldError::path))
        .containsExactlyInAnyOrderElementsOf(
            SpecFields.paths(field -> field.scope() == Scope.NODE_ONLY)
                .map(path -> "spec.template.spec." + path)
                .toList());
  }

  @Test
  void aNodeKeepsOfItsOwnWhatIsNotRenderedForIt() {
    SeiNodeSpec spec = Nodes.full();

    assertThat(SpecFields.left(spec)).contains("externalAddress", "maintenance");
    assertThat(SpecFields.left(spec.withExternalAddress("host:26656")))
        .contains("maintenance")
        .doesNotContain("externalAddress", "paused", "upgrades");
  }

  private static String[] modes() {
    return SpecFields.paths(field -> field.effect() == SpecFields.Effect.MODE)
        .toArray(String[]::new);
  }

  /** The fields of a record; where any of one's own has a row, these instead of it. */
  private static Stream<String> fields(String prefix, Class<?> type) {
    return Stream.of(type.getRecordComponents())
        .flatMap(
            field -> {
              String path = prefix + name(field);
              return PATHS.stream().anyMatch(text -> text.startsWith(path + "."))
                  ? fields(path + ".", field.getType())
                  : Stream.of(path);
            });
  }

  private static String name(RecordComponent field) {
    return Optional.ofNullable(field.getAccessor().getAnnotation(JsonProperty.class))
        .map(JsonProperty::value)
        .orElse(field.getName());
  }
}
