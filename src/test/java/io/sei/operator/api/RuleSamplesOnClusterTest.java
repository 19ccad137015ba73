package io.sei.operator.api;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.sei.operator.render.ServerVersion;
import io.sei.operator.testkit.controlplane.RealControlPlane;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The samples of rules are sound in everything but the rule they are about: a server without CEL
 * takes even the failing ones. One with CEL refuses these, in the rule's words.
 */
@RealControlPlane
class RuleSamplesOnClusterTest {

  static List<RuleSample> nodes() {
    return RuleSample.ofNodes();
  }

  static List<RuleSample> deployments() {
    return RuleSample.ofDeployments();
  }

  @BeforeAll
  static void install(KubernetesClient client) {
    CrdFile.installAll(client);
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

  private static void check(String kind, RuleSample sample, KubernetesClient client) {
    var good = client.resource(object(kind, sample.goodObject())).inNamespace("default").dryRun();
    var bad = client.resource(object(kind, sample.badObject())).inNamespace("default").dryRun();
    assertThatCode(good::create).doesNotThrowAnyException();
    boolean refused = hasCel(client) && sample.old() == null;
    if (refused) {
      assertThatThrownBy(bad::create).hasMessageContaining(sample.message());
    } else {
      assertThatCode(bad::create).doesNotThrowAnyException();
    }
  }

  private static boolean hasCel(KubernetesClient client) {
    String version = client.getKubernetesVersion().getGitVersion();
    return ServerVersion.parse(version).compareTo(new ServerVersion(1, 25)) >= 0;
  }

  private static GenericKubernetesResource object(String kind, Map<String, Object> body) {
    var all = new LinkedHashMap<String, Object>(body);
    all.put("apiVersion", "sei.io/v1alpha1");
    all.put("kind", kind);
    return Serialization.unmarshal(Serialization.asJson(all), GenericKubernetesResource.class);
  }
}
