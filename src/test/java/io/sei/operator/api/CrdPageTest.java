package io.sei.operator.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.SeiNode;
import io.sei.operator.api.v1alpha1.SeiNodeDeployment;
import io.sei.operator.docs.Markdown;
import io.sei.operator.render.ChildRenderer;
import io.sei.operator.render.ConfigHash;
import io.sei.operator.render.SpecHash;
import io.sei.operator.testkit.GoldenLines;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class CrdPageTest {

  private static final String PAGE = CrdPage.text();

  /** Row of a field of a spec: its path, its type, its default, and what a change does. */
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `(spec\\.[^`]+)` \\| ([^|]*) \\| ([^|]*) \\| ([^|]*) \\| .+ \\|$");

  private static final String FLEET =
      """
      apiVersion: sei.io/v1alpha1
      kind: SeiNodeDeployment
      metadata: {name: fleet, namespace: ns, uid: u}
      spec: {replicas: 1, template: {spec: {chainId: lab-1, image: "sei:a", fullNode: {}}}}
      """;

  @Test
  void committedPageIsUpToDate() {
    GoldenLines.compare(CrdPage.FILE, PAGE, "run 'make docs' and commit the result");
  }

  @Test
  void everythingThatCanBeAskedForIsDescribed() {
    Pattern undescribed = Pattern.compile("(?m)^\\| `spec\\..*\\| ? ?\\|$");

    assertThat(undescribed.matcher(PAGE).results().map(match -> match.group())).isEmpty();
  }

  @Test
  void everyFieldWithoutFieldsSaysWhatAChangeDoes() {
    List<MatchResult> rows = ROW.matcher(PAGE).results().toList();
    List<String> paths = rows.stream().map(row -> row.group(1)).toList();

    assertThat(rows)
        .hasSizeGreaterThan(150)
        .filteredOn(row -> row.group(4).isEmpty())
        .allMatch(
            row ->
                paths.stream().anyMatch(path -> path.startsWith(row.group(1) + "."))
                    || paths.stream().anyMatch(path -> path.startsWith(row.group(1) + "[]."))
                    || row.group().contains("The fields of `"));
  }

  /** EveryFieldTest compares each field with the table by which the operator decides. */
  @ParameterizedTest
  @CsvSource({
    "spec.chainId, is refused",
    "spec.genesis.configMap.name, is refused",
    "spec.fullNode.freeze.height, is refused",
    "spec.dataVolume.storage.storageClassName, is refused",
    "spec.validator.signingKey.secret.secretName, is refused",
    "spec.dataVolume.storage.resources.requests.storage, changes the volume",
    "spec.image, replaces the pod",
    "spec.peers[].static.addresses, restarts seid",
    "spec.paused, stops or starts the node",
    "spec.upgrades[].image, restarts nothing",
    "spec.validator.operatorKeyring.secret.keyName, restarts nothing",
  })
  void changeOfAFieldOfANode(String path, String effect) {
    assertThat(new FieldEffects("SeiNode", schema(SeiNode.class)).of(path)).isEqualTo(effect);
  }

  @Test
  void fieldsThatAreCalledImmutableAreRefused() {
    assertThat(ROW.matcher(PAGE).results())
        .filteredOn(row -> row.group().contains("mmutable") && !row.group(4).isEmpty())
        .isNotEmpty()
        .allMatch(row -> row.group(4).endsWith(FieldEffects.REFUSED));
  }

  static List<String> fieldsOfAFleetThatRestartNothing() {
    var effects = new FieldEffects("SeiNodeDeployment", schema(SeiNodeDeployment.class));
    return ROW.matcher(fleets())
        .results()
        .filter(row -> row.group(4).equals(FieldEffects.NOTHING))
        .map(row -> row.group(1))
        // It has one value.
        .filter(path -> !path.equals("spec.updateStrategy.type"))
        .filter(path -> effects.of(path).equals(FieldEffects.NOTHING))
        .toList();
  }

  private static String fleets() {
    return PAGE.split("\n## SeiNodeDeployment\n")[1].split("\n## ")[0];
  }

  @ParameterizedTest
  @MethodSource("fieldsOfAFleetThatRestartNothing")
  void fieldOfAFleetThatRestartsNothingLeavesTheHashesOfItsNodes(String path) {
    SeiNode changed = child(path, true);
    SeiNode unchanged = child(path, false);

    assertThat(SpecHash.of(changed)).isEqualTo(SpecHash.of(unchanged));
    assertThat(ConfigHash.of(changed.getSpec())).isEqualTo(ConfigHash.of(unchanged.getSpec()));
    assertThat(changed.getSpec().paused()).isEqualTo(unchanged.getSpec().paused());
  }

  private static SeiNode child(String path, boolean isChanged) {
    var effects = new FieldEffects("SeiNodeDeployment", schema(SeiNodeDeployment.class));
    ObjectNode fleet = Serialization.unmarshal(FLEET, ObjectNode.class);
    ObjectNode change =
        Serialization.unmarshal(
            Serialization.asYaml(effects.object(path, isChanged)), ObjectNode.class);
    fleet.withObject("/spec").setAll((ObjectNode) change.get("spec"));
    var deployment = Serialization.unmarshal(Serialization.asYaml(fleet), SeiNodeDeployment.class);
    return new ChildRenderer().render(deployment, 0, ChildRenderer.template(deployment));
  }

  /** kubectl explain shows the description. */
  @Test
  void descriptionNamesTheDefaultOfTheCode() {
    FieldDefaults.OF_CODE.forEach(
        (field, value) -> {
          String kind = field.substring(0, field.indexOf('.'));
          Class<?> model = kind.equals("SeiNode") ? SeiNode.class : SeiNodeDeployment.class;
          JSONSchemaProps schema = schema(model);
          for (String step : field.substring(kind.length() + 1).split("\\.")) {
            schema = schema.getProperties().get(step);
          }
          assertThat(FieldDefaults.clause(schema).orElseThrow()).as(field).startsWith(value);
        });
  }

  private static JSONSchemaProps schema(Class<?> model) {
    CrdFile crd =
        CrdFile.all().stream().filter(file -> file.model() == model).findFirst().orElseThrow();
    return Serialization.unmarshal(Markdown.read(crd.path()), CustomResourceDefinition.class)
        .getSpec()
        .getVersions()
        .getFirst()
        .getSchema()
        .getOpenAPIV3Schema();
  }
}
