package io.sei.operator.render;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RbacProxyConfigRendererTest {

  @ParameterizedTest
  @ValueSource(strings = {"pacific-rpc-0", "7", "true", "1e3"})
  void accessIsGrantedNodeByNode(String name) {
    var config = RbacProxyConfigRenderer.render(Nodes.named(name, Nodes.full()));

    assertThat(config.getMetadata().getName()).isEqualTo(name + "-rbac-proxy-config");
    assertThat(attributes(config))
        .isEqualTo(
            Map.of(
                "apiGroup", "sei.io",
                "resource", "seinodes",
                "subresource", "sidecar",
                "namespace", "sei-nodes",
                "name", name));
  }

  private static Object attributes(ConfigMap config) {
    JsonNode file = Serialization.unmarshal(config.getData().get("config.yaml"), JsonNode.class);
    assertThat(file).hasSize(1);
    assertThat(file.get("authorization")).hasSize(1);
    return Serialization.jsonMapper()
        .convertValue(file.at("/authorization/resourceAttributes"), Map.class);
  }
}
