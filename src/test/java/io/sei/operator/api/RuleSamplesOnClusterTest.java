package io.sei.operator.api;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A sample that breaks a rule is refused in the rule's words; the same without the breach is not.
 */
@RealControlPlane
class RuleSamplesOnClusterTest {

  static List<RuleSample> nodes() {
    return RuleSample.ofNodes();
  }

  static List<RuleSample> deployments() {
    return RuleSample.ofDeployments();
  }

  @ParameterizedTest
  @MethodSource("nodes")
  void ofNodes(RuleSample sample, KubernetesClient client) {
    check("SeiNode", sample, client);
  }

  @ParameterizedTest
  @MethodSource("deployments")
  void ofDeployments(RuleSample sample, KubernetesClient client) {
    check("SeiNodeDeployment", sample, client);
  }

  @Test
  void aFleetOfNoSizeOrWithoutAnImageIsRefused(KubernetesClient client) {
    var template = Map.of("spec", Map.of("chainId", "local-1", "image", "sei:a"));
    var withoutImage = Map.of("spec", Map.of("chainId", "local-1", "image", ""));
    assertRefused(Map.of("replicas", 0, "template", template), "spec.replicas", client);
    assertRefused(Map.of("replicas", 101, "template", template), "spec.replicas", client);
    assertRefused(Map.of("template", withoutImage), "spec.template.spec.image", client);
  }

  private static void assertRefused(
      Map<String, Object> spec, String field, KubernetesClient client) {
    Map<String, Object> fleet = Map.of("metadata", Map.of("name", "refused"), "spec", spec);
    assertThatThrownBy(
            () ->
                client
                    .resource(object("SeiNodeDeployment", fleet))
                    .inNamespace("default")
                    .dryRun()
                    .create())
        .hasMessageContaining(field);
  }

  private static void check(String kind, RuleSample sample, KubernetesClient client) {
    var good = client.resource(object(kind, sample.goodObject())).inNamespace("default").dryRun();
    var bad = client.resource(object(kind, sample.badObject())).inNamespace("default").dryRun();
    if (sample.old() == null) {
      assertThatCode(good::create).doesNotThrowAnyException();
      assertThatThrownBy(bad::create).hasMessageContaining(sample.message());
      return;
    }
    var old = client.resource(object(kind, sample.oldObject())).inNamespace("default");
    old.create();
    try {
      assertThatCode(good::update).doesNotThrowAnyException();
      assertThatThrownBy(bad::update).hasMessageContaining(sample.message());
    } finally {
      old.delete();
    }
  }

  static GenericKubernetesResource object(String kind, Map<String, Object> body) {
    var all = new LinkedHashMap<String, Object>(body);
    all.put("apiVersion", "sei.io/v1alpha1");
    all.put("kind", kind);
    return Serialization.unmarshal(Serialization.asJson(all), GenericKubernetesResource.class);
  }
}
