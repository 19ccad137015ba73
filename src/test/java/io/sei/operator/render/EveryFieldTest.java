package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apps.StatefulSetSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.api.v1alpha1.SeiNodeSpec;
import io.sei.operator.api.validation.NodeValidation;
import io.sei.operator.node.OfflineNode;
import io.sei.operator.render.SpecFields.Effect;
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
    Effect effect = SpecFields.effectOf(path);
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
    assertThat(statefulSet(set).getReplicas())
        .as("%s leaves the number of pods; only paused does not", path)
        .isEqualTo(statefulSet(unset).getReplicas());
    assertThat(effect == Effect.CHANGES_VOLUME || hasSameClaim(set, unset))
        .as("%s leaves the claim; its row in SpecFields says %s", path, effect)
        .isTrue();
    assertThat(!isInPod || isInGoldenFile(field))
        .as("%s is in the pod and in a golden file; add it to an example of Rendering", path)
        .isTrue();
  }

  @Test
  void pauseScalesTheStatefulSet() {
    SeiNodeSpec spec = SPECS.get("full");

    assertThat(SpecFields.effectOf("paused")).isEqualTo(Effect.STOPS);
    assertThat(statefulSet(spec.withPaused(true)).getReplicas()).isZero();
    assertThat(statefulSet(spec.withPaused(null)).getReplicas()).isOne();
  }

  @Test
  void everyExceptionIsAField() {
    Set<String> paths = fields().stream().map(SpecPath::toString).collect(Collectors.toSet());

    assertThat(paths).containsAll(FIXED_BEFORE_THE_POD);
    assertThat(paths).contains(RECORDED_FIRST);
  }

  private static boolean isInGoldenFile(SpecPath field) {
    return Rendering.examples().stream().anyMatch(example -> field.isSet(example.node().getSpec()));
  }

  /** The template of the pod, without the hashes that are stamped on it. */
  private static List<String> pod(SeiNodeSpec spec) {
    return Serialization.asYaml(statefulSet(spec).getTemplate())
        .lines()
        .filter(line -> !line.contains("\"v1:") && !line.contains("\"c1:"))
        .toList();
  }

  private static StatefulSetSpec statefulSet(SeiNodeSpec spec) {
    return new StatefulSetRenderer(Nodes.DEFAULTS, OfflineNode.FEATURES)
        .render(Nodes.node(spec))
        .getSpec();
  }

  /** A node that imports a claim has none of its own. */
  private static boolean hasSameClaim(SeiNodeSpec one, SeiNodeSpec other) {
    var renderer = new ClaimRenderer(Nodes.DEFAULTS);
    var claim = renderer.render(Nodes.node(one));
    var otherClaim = renderer.render(Nodes.node(other));
    return claim.isEmpty()
        || otherClaim.isEmpty()
        || claim.get().getSpec().equals(otherClaim.get().getSpec());
  }
}
