package io.sei.operator.node.config;

import static io.sei.operator.testkit.samples.NodeSample.NOW;
import static io.sei.operator.testkit.samples.NodeSample.aNode;
import static io.sei.operator.testkit.samples.PlanSample.aPlan;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sei.operator.api.v1alpha1.AppliedConfig;
import io.sei.operator.api.v1alpha1.ConfigValue;
import io.sei.operator.api.v1alpha1.PlanKind;
import io.sei.operator.api.v1alpha1.PlannedTask;
import io.sei.operator.api.v1alpha1.TaskPlan;
import io.sei.operator.node.feature.ConfigParts;
import io.sei.operator.node.feature.PlanShape;
import io.sei.operator.plan.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigPatchTest {

  private static final JsonMapper JSON = JsonMapper.builder().build();

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "app.toml:a=1                      |                      | {'app.toml':{'a':1}}",
        "app.toml:a.b=1 app.toml:a.c='x'   |                      |"
            + " {'app.toml':{'a':{'b':1,'c':'x'}}}",
        "app.toml:a=1 client.toml:a=[2]    |                      |"
            + " {'app.toml':{'a':1},'client.toml':{'a':[2]}}",
        "app.toml:a=1                      | config.toml:b app.toml:c | {'app.toml':{'a':1}}",
        "app.toml:a=1                      | client.toml:b.c      |"
            + " {'client.toml':{'b':{'c':null}},'app.toml':{'a':1}}",
        "~~                                | client.toml:b        | {'client.toml':{'b':null}}",
        "client.toml:b={'c':1}             | client.toml:b.d      |"
            + " {'client.toml':{'b':{'d':null,'c':1}}}",
      })
  void sidecarIsAskedForValuesInTheirTablesAndForNullWhereOneIsToGo(
      String values, String known, String files) {
    Step step = ConfigPatch.step(parts(values), applied(known)).orElseThrow();

    assertThat(ConfigPatch.request(step.params()).params())
        .isEqualTo(json("{'files':" + files + "}"));
  }

  @Test
  void nothingIsAskedForWhereNothingIsSet() {
    assertThat(ConfigPatch.step(new ConfigParts(PlanShape.CONFIG), null)).isEmpty();
    assertThat(ConfigPatch.step(new ConfigParts(PlanShape.CONFIG), applied("app.toml:a")))
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "app.toml:a=1           | app.toml:a               | true",
        "app.toml:a=1           | app.toml:b               | false",
        "app.toml:a={'b':1}     | app.toml:a.b app.toml:a.c | false",
        "app.toml:a={'b.c':1}   | app.toml:a               | true",
        "app.toml:a=1           | client.toml:b            | true",
      })
  void filesOfSeiConfigAreWrittenAgainWhereAKeyIsNoLongerAskedFor(
      String values, String known, boolean kept) {
    Step step = ConfigApply.patch(aNode("a").build().getSpec(), parts(values), applied(known));

    assertThat(step.params().path("incremental").asBoolean()).isEqualTo(kept);
  }

  @ParameterizedTest(name = "{0}, incremental {1}, patched {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "app.toml:b client.toml:c | false | true  | ",
        "app.toml:b client.toml:c | false | false | client.toml:c",
        "app.toml:b client.toml:c | true  | true  | app.toml:b",
        "app.toml:b client.toml:c | true  | false | app.toml:b client.toml:c",
      })
  void keyIsRecordedAsLeftUntilItWasTakenOut(
      String known, boolean incremental, boolean patched, String left) {
    Step patch = ConfigPatch.step(parts("app.toml:a={'x':1}"), applied(known)).orElseThrow();
    TaskPlan plan =
        aPlan(PlanKind.CONFIG, "a", "config-apply", patch.type()).complete(patched ? 2 : 1).build();
    List<PlannedTask> tasks =
        List.of(
            plan.tasks().get(0).withParams(json("{'incremental':%s}".formatted(incremental))),
            plan.tasks().get(1).withParams(patch.params()));

    AppliedConfig after = ConfigRecord.written(plan.withTasks(tasks), applied(known));

    assertThat(after.keys()).containsExactly("app.toml:a.x");
    assertThat(Optional.ofNullable(after.keysLeft()).orElse(List.of())).isEqualTo(words(left));
  }

  private static ConfigParts parts(String values) {
    var all = new ArrayList<ConfigValue>();
    for (String value : words(values)) {
      String[] placeAndValue = value.split("=");
      String[] fileAndKey = placeAndValue[0].split(":");
      all.add(new ConfigValue(fileAndKey[0], fileAndKey[1], json(placeAndValue[1])));
    }
    var parts = new ConfigParts(PlanShape.CONFIG);
    parts.values(all);
    return parts;
  }

  private static AppliedConfig applied(String keys) {
    return new AppliedConfig("c1:0", NOW, words(keys), null, null, null);
  }

  private static List<String> words(String text) {
    return text == null || text.isEmpty() ? List.of() : List.of(text.split(" "));
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text.replace('\'', '"'));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e);
    }
  }
}
