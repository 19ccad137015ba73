package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.validation.NodeValidation;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.render.SpecFields.Effect;
import io.sei.operator.render.SpecFields.SpecField;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each field of a spec, set and unset: the hashes and the pod change as its row says. */
class EveryFieldTest {

  private static final Map<String, SeiNodeSpec> SPECS = EverySpec.all();

  /** Fields that are in no hash though their row has one. */
  private static final Set<String> IN_NO_HASH =
      Set.of(
          // Snapshots are uploaded by a task beside the plan.
          "fullNode.snapshotGeneration.tendermint.publish",
          "archive.snapshotGeneration.tendermint.publish",
          // Each request to sign a transaction names the account to the sidecar.
          "validator.operatorKeyring.secret.keyName");

  /** Fields in the pod that cannot be changed once there is one. */
  private static final Set<String> FIXED_BEFORE_THE_POD =
      Set.of(
          "genesis.configMap.name",
          "genesis.configMap.key",
          "fullNode.freeze.height",
          "archive.freeze.height",
          "validator.genesisCeremony.signingKeySecret",
          "validator.genesisCeremony.nodeKeySecret",
          "validator.genesisCeremony.configMap.name");

  /** The pod has what the status records of it. */
  private static final String RECORDED_FIRST = "dataResetGeneration";

  static List<SpecPath> fields() {
    return SpecPath.all();
  }

  static Set<String> specs() {
    return SPECS.keySet();
  }

  @ParameterizedTest
  @MethodSource("specs")
  void everySpecIsValid(String name) {
    assertThat(NodeValidation.validate(SPECS.get(name))).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("fields")
  void hashesAndPodChangeAsItsRowSays(SpecPath field) {
    SeiNodeSpec set =
        SPECS.values().stream()
            .filter(field::isSet)
            .findFirst()
            .orElseThrow(
                () ->
                    new AssertionError("set " + field + " in src/test/resources/everything.yaml"));
    SeiNodeSpec unset = field.unset(set);
    String path = field.toString();
    Effect effect = IN_NO_HASH.contains(path) ? Effect.NONE : row(path).effect();
    boolean isInPod =
        effect == Effect.RESTARTS && !path.equals(RECORDED_FIRST)
            || FIXED_BEFORE_THE_POD.contains(path);

    assertThat(unset).as("%s is set", path).isNotEqualTo(set);
    assertThat(SpecHash.of(set, null).equals(SpecHash.of(unset, null)))
        .as("%s leaves the spec hash; its row in SpecFields says %s", path, effect)
        .isEqualTo(effect != Effect.RESTARTS);
    assertThat(ConfigHash.of(set).equals(ConfigHash.of(unset)))
        .as("%s leaves the configuration's hash; its row in SpecFields says %s", path, effect)
        .isEqualTo(effect != Effect.CONFIGURES);
    assertThat(pod(set).equals(pod(unset)))
        .as("%s leaves the pod; render it, or name it in EveryFieldTest", path)
        .isEqualTo(!isInPod);
    assertThat(!isInPod || isInGoldenFile(field))
        .as("%s is in the pod and in a golden file; add it to an example of Rendering", path)
        .isTrue();
  }

  @Test
  void everyExceptionIsAField() {
    Set<String> paths = fields().stream().map(SpecPath::toString).collect(Collectors.toSet());

    assertThat(paths).containsAll(IN_NO_HASH).containsAll(FIXED_BEFORE_THE_POD);
    assertThat(paths).contains(RECORDED_FIRST);
  }

  private static boolean isInGoldenFile(SpecPath field) {
    return Rendering.examples().stream().anyMatch(example -> field.isSet(example.node().getSpec()));
  }

  private static SpecField row(String path) {
    return SpecFields.ALL.stream()
        .filter(row -> path.equals(row.path()) || path.startsWith(row.path() + "."))
        .max(Comparator.comparing(row -> row.path().length()))
        .orElseThrow(() -> new AssertionError("add a row for " + path + " to SpecFields.ALL"));
  }

  /** The template of the pod, without the hashes that are stamped on it. */
  private static List<String> pod(SeiNodeSpec spec) {
    var renderer = new StatefulSetRenderer(Nodes.DEFAULTS, OfflineNode.FEATURES);
    var template = renderer.render(Nodes.node(spec)).getSpec().getTemplate();
    return Serialization.asYaml(template)
        .lines()
        .filter(line -> !line.contains("\"v1:") && !line.contains("\"c1:"))
        .toList();
  }
}
